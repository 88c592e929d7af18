// Two threads set one promise, and nobody catches the exception of the second.
// expect: program-error
// message: it was set here first
#include <future>

int main() {
  std::promise<int> once;
  std::thread first([&]() { once.set_value(1); });
  std::thread second([&]() { once.set_value(2); });
  first.join();
  second.join();
  return 0;
}
