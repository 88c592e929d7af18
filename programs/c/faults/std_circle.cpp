// Two packaged tasks wait for each other's result: a circle.
// expect: deadlock
// message: "held_by":"main/2"
#include <future>

int main() {
  std::promise<void> go;
  std::shared_future<void> begun = go.get_future().share(), ends[2];
  std::packaged_task<void()> left([&]() { begun.wait(), ends[1].wait(); }), right([&]() { begun.wait(), ends[0].wait(); });
  ends[0] = left.get_future().share();
  ends[1] = right.get_future().share();
  std::thread first(std::move(left)), second(std::move(right));
  go.set_value();
  first.join();
  second.join();
  return 0;
}
