// A thread gives up its share in the state of an async without waiting for it: whoever is last waits for the function.
// expect: race-free observed-schedule
#include <cassert>
#include <future>

int main() {
  std::shared_future<int> value = std::async(std::launch::async, []() { return 1; }).share();
  std::thread drops([=]() mutable { value = std::shared_future<int>(); });
  assert(value.get() == 1);
  value = std::shared_future<int>();
  drops.join();
  return 0;
}
