// The future of one function is waited for, and the other one writes still.
// expect: race
#include <future>

static int total;

int main() {
  std::future<void> first = std::async(std::launch::async, []() {
    total += 1; //~ race total #1
  });
  std::future<int> second = std::async(std::launch::async, []() { return 2; });
  int sum = second.get() + total; //~ race total #1
  first.get();
  return sum > 3;
}
