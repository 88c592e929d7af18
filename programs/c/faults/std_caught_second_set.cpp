// A second set whose exception is caught has nothing to do with the one that ends the program.
// expect: program-error
// message: or the program","s
#include <future>

int main() {
  std::promise<int> once;
  once.set_value(1);
  try {
    once.set_value(2);
  } catch (const std::future_error &) {
  }
  std::future<int> none;
  return none.get();
}
