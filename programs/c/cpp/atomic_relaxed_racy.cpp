// A relaxed flag hands nothing over.
// expect: race
#include <atomic>

std::atomic<bool> ready{false};
int data, copy;

int main() {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 1; //~ race data #1
      ready.store(true, std::memory_order_relaxed);
    }
#pragma omp section
    {
      while (!ready.load(std::memory_order_relaxed))
        ;
      copy = data; //~ race data #1
    }
  }
  return 0;
}
