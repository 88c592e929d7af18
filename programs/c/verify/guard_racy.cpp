// A mutex of the C++ library, and an object that is handed over too early.
// expect: race
// run: race-free
// executions: 2
#include <memory>
#include <mutex>
std::mutex mutex;
std::shared_ptr<int> shared;

int main() {
  auto own = std::make_shared<int>(1);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      int *other;
      {
        std::lock_guard<std::mutex> guard(mutex);
        other = shared.get();
      }
      if (other)
        *other = 2; //~ race own[] #1
    }
#pragma omp section
    {
      {
        std::lock_guard<std::mutex> guard(mutex);
        shared = own;
      }
      *own = 3; //~ race own[] #1
    }
  }
  return 0;
}
