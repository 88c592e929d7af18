// Every task writes an element of its own.
// expect: race-free all-schedules
#include <cassert>
#include <numeric>
#include <vector>

int main() {
  std::vector<int> values(20);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task shared(values)
    values[i] = i;
  }
  assert(std::accumulate(values.begin(), values.end(), 0) == 190);
  return 0;
}
