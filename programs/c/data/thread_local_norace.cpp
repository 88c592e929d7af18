// A C++ thread_local object is constructed in each thread that uses it.
// expect: race-free all-schedules
#include <cassert>
#include <omp.h>
#include <vector>

thread_local std::vector<int> mine;

int main() {
  int sizes[4] = {0};
#pragma omp parallel num_threads(4)
  {
    int me = omp_get_thread_num();
    for (int i = 0; i <= me; i++)
      mine.push_back(i);
#pragma omp barrier
    sizes[me] = (int)mine.size();
  }
  for (int i = 0; i < 4; i++)
    assert(sizes[i] == i + 1);
  return 0;
}
