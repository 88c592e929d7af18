// Exceptions are thrown and caught within tasks, also while others are suspended in a handler.
// expect: race-free all-schedules
#include <cassert>
#include <stdexcept>
#include <string>

int caught[6];

__attribute__((noinline)) static void fail(int i) {
  if (i % 2)
    throw std::runtime_error(std::to_string(i));
}

int main() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; i++) {
#pragma omp task
    {
      try {
        fail(i);
      } catch (const std::exception &e) {
#pragma omp taskyield
        caught[i] = std::stoi(e.what());
      }
    }
  }
  assert(caught[1] == 1 && caught[5] == 5 && caught[2] == 0);
  return 0;
}
