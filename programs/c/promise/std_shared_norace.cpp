// Shares in a value that several threads give up, in any order: what is destroyed only gives back memory, or the last owner comes
// after all others in every schedule. The function of an async has ended for everybody who has got its value.
// expect: race-free all-schedules
#include <array>
#include <cassert>
#include <future>
#include <map>
#include <string>
#include <vector>

typedef std::map<std::string, std::vector<std::string>> Index;

struct Counted {
  int *destroyed;
  explicit Counted(int *counter) : destroyed(counter) {}
  Counted(Counted &&other) : destroyed(other.destroyed) { other.destroyed = nullptr; }
  ~Counted() {
    if (destroyed)
      ++*destroyed;
  }
};

template <typename T, typename F> static void read_by_two(std::shared_future<T> value, F check) {
  std::thread first([=]() { check(value.get()); });
  std::thread second([=]() { check(value.get()); });
  value = std::shared_future<T>();
  first.join();
  second.join();
}

int main() {
  std::promise<Index> index;
  std::shared_future<Index> built = index.get_future().share();
  std::thread builds([&]() { index.set_value(Index{{"names", {"of several", "words"}}}); });
  read_by_two(std::move(built), [](const Index &all) { assert(all.at("names").size() == 2); });
  builds.join();

  typedef std::pair<std::string, std::array<std::vector<int>, 2>> Pair;
  std::shared_future<Pair> pair = std::async(std::launch::async, []() { return Pair("numbers", {{{1, 2}, {3}}}); }).share();
  pair.wait();
  read_by_two(std::move(pair), [](const Pair &both) { assert(both.second[0].size() == 2); });

  // The destructor is the program's: main is the last owner, since it has joined the others.
  int destroyed = 0;
  {
    std::promise<Counted> promise;
    std::shared_future<Counted> counted = promise.get_future().share();
    promise.set_value(Counted(&destroyed));
    std::thread first([=]() { assert(counted.get().destroyed); });
    std::thread second([=]() { assert(counted.get().destroyed); });
    first.join();
    second.join();
    assert(destroyed == 0);
  }
  assert(destroyed == 1);
  return 0;
}
