// Two threads give up their shares unordered, and the destructor of the value is the program's: the schedule chooses who runs it.
// expect: race-free observed-schedule
#include <cassert>
#include <future>

struct Counted {
  int *destroyed;
  explicit Counted(int *counter) : destroyed(counter) {}
  Counted(Counted &&other) : destroyed(other.destroyed) { other.destroyed = nullptr; }
  ~Counted() {
    if (destroyed)
      ++*destroyed;
  }
};

int main() {
  int destroyed = 0;
  std::promise<Counted> promise;
  std::shared_future<Counted> counted = promise.get_future().share();
  promise.set_value(Counted(&destroyed));
  {
    std::promise<Counted> gone(std::move(promise));
  }
  std::thread first([=]() { counted.wait(); });
  counted = std::shared_future<Counted>();
  first.join();
  assert(destroyed == 1);
  return 0;
}
