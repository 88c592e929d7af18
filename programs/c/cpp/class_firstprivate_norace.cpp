// A class with a copy constructor: each task has its own copy.
// expect: race-free all-schedules
#include <cassert>
#include <vector>

int sizes[5];

int main() {
  std::vector<int> base(3, 1);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5; i++) {
#pragma omp task firstprivate(base)
    {
      base.resize(base.size() + i);
      sizes[i] = (int)base.size();
    }
  }
  assert(base.size() == 3 && sizes[4] == 7);
  return 0;
}
