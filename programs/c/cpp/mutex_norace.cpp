// Threads of the team exclude each other by a mutex of the C++ library.
// expect: race-free observed-schedule
#include <cassert>
#include <mutex>

std::mutex mutex;
int counter;

int main() {
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 3; i++) {
    std::lock_guard<std::mutex> guard(mutex);
    counter++;
  }
  assert(counter == 12);
  return 0;
}
