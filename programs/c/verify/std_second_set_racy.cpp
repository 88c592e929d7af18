// Two threads set one promise: which of them fails, and writes, is the schedule's choice.
// expect: race
// run: race-free
// executions: 1
#include <future>

static int x;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  auto set = [&](int value) {
    try {
      promise.set_value(value);
    } catch (const std::future_error &) {
      if (value == 1)
        x = 1; //~ race x #1
    }
  };
  std::thread first(set, 1), second(set, 2);
  if (future.get() == 2)
    x = 2; //~ race x #1
  first.join();
  second.join();
  return 0;
}
