// Copies of one shared pointer count their owners atomically.
// expect: race-free observed-schedule
#include <cassert>
#include <memory>

int sums[8];

int main() {
  auto value = std::make_shared<int>(5);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(value)
    {
      std::shared_ptr<int> copy = value;
      sums[i] = *copy + i;
    }
  }
  assert(value.use_count() == 1 && sums[7] == 12);
  return 0;
}
