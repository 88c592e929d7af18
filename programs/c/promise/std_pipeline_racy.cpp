// A pipeline of threads on promises of the standard library: each stage sets its promise before it has written all that the
// next one reads.
// expect: race
#include <future>

static int values[3], counts[3];

int main() {
  std::promise<void> ready[2];
  std::shared_future<void> first = ready[0].get_future().share(), second = ready[1].get_future().share();
  std::thread a([&]() {
    values[0] = 1;
    ready[0].set_value();
    counts[0] = 1; //~ race counts[0] #1
  });
  std::thread b([&]() {
    first.wait();
    values[1] = values[0] + counts[0]; //~ race counts[0] #1
    ready[1].set_value();
  });
  second.get();
  values[2] = values[1];
  a.join();
  b.join();
  return 0;
}
