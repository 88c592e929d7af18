// A std::atomic counter, and a flag that hands data over.
// expect: race-free observed-schedule
#include <atomic>
#include <cassert>

std::atomic<int> counter{0};
std::atomic<bool> ready{false};
int data;

int main() {
#pragma omp parallel num_threads(4)
  counter.fetch_add(1, std::memory_order_relaxed);
  assert(counter == 4);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 1;
      ready.store(true, std::memory_order_release);
    }
#pragma omp section
    {
      while (!ready.load(std::memory_order_acquire))
        ;
      assert(data == 1);
    }
  }
  return 0;
}
