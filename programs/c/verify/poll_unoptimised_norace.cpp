// Without optimisation loops wait by calls of the library's functions, and by local variables.
// expect: race-free
// run: race-free
// executions: 6
// flags: -O0
#include <atomic>
#include <mutex>
#include <thread>

std::atomic<bool> ready;
std::mutex mutex;
int value, shared;
bool done;

int main() {
  std::thread maker([] {
    value = 7;
    ready = true;
    std::lock_guard<std::mutex> lock(mutex);
    shared++;
    done = true;
  });
  while (!ready.load())
    std::this_thread::yield();
  int seen = value;
  for (bool is_done = false; !is_done;) {
    std::lock_guard<std::mutex> lock(mutex);
    is_done = done;
  }
  maker.join();
  return seen + shared != 8;
}
