// expect: race
// advice: set-later
// prints: 42 of 1
#include <cstdio>
#include <future>

static int item, count;

int main() {
  std::promise<void> ready;
  std::future<void> done = ready.get_future();
  std::thread producer([&]() {
    item = 42;
    ready.set_value();
    count = 1; //~ race count #1
  });
  done.wait();
  printf("%d of %d\n", item, count); //~ race count #1
  producer.join();
  return 0;
}
