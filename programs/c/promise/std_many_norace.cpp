// Two threads hand each other many promises: each is set once, waited for, and gone.
// expect: race-free all-schedules
// args: 1000
#include <cassert>
#include <cstdlib>
#include <future>

static long item;

struct Turn {
  std::promise<Turn *> next;
  std::promise<void> taken;
};

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000000;
  Turn *turn = new Turn;
  std::future<Turn *> first = turn->next.get_future();
  std::thread producer([=]() {
    Turn *now = turn;
    for (long i = 0; i < count; i++) {
      Turn *next = i + 1 < count ? new Turn : nullptr;
      item = i;
      std::future<void> taken = now->taken.get_future();
      now->next.set_value(next);
      taken.wait();
      delete now;
      now = next;
    }
  });
  for (long i = 0; i < count; i++) {
    Turn *next = first.get();
    assert(item == i);
    if (next)
      first = next->next.get_future();
    turn->taken.set_value();
    turn = next;
  }
  producer.join();
  return 0;
}
