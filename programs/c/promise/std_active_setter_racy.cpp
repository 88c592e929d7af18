// As active_setter_racy.cpp, on the standard library: the thread that sets the first promise has not ended when `main` reads
// what it wrote, since the one it has woken waits again.
// expect: race
#include <cstdlib>
#include <future>

static int x;

int main() {
  std::promise<void> p, q;
  std::future<void> first = p.get_future(), second = q.get_future();
  std::thread waits([&]() {
    first.wait();
    second.wait();
  });
  std::thread sets([&]() {
    x = 1; //~ race x #1
    p.set_value();
  });
  int read = x; //~ race x #1
  q.set_value();
  waits.join();
  sets.join();
  if (read < 0)
    abort();
  return 0;
}
