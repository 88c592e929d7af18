// Who asks whether a promise is set may get either answer: the verdict is about the schedule that was run.
// expect: race-free observed-schedule
#include <cassert>
#include <chrono>
#include <future>

static int x;

int main() {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  std::thread sets([&]() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    x = 1;
    promise.set_value();
  });
  while (future.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
    std::this_thread::yield();
  assert(x == 1);
  sets.join();
  return 0;
}
