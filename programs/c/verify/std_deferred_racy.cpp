// Whichever thread waits first runs the deferred function: if it is the second, the function reads while the first writes.
// expect: race
// run: race-free
// executions: 1
#include <future>

static int x;

static int read() {
  return x; //~ race x #1
}

int main() {
  std::shared_future<int> later = std::async(std::launch::deferred, read).share();
  std::thread writes([=]() {
    x = 1; //~ race x #1
    later.wait();
  });
  std::thread waits([=]() { later.wait(); });
  writes.join();
  waits.join();
  return 0;
}
