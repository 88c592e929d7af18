// What <future> does beside ordering, printed: limits of waits, what is ready at the end of a thread, reset, swap, moves,
// allocators, values that only move, exceptions through shares, promises and tasks that are abandoned, and the destructor of an
// async future, which waits. It prints the same without raceproof (crates/cli/tests/native/promises.rs).
// expect: race-free observed-schedule
#include <atomic>
#include <cstdio>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std::chrono_literals;

static const char *name(std::future_status status) {
  return status == std::future_status::ready ? "ready" : status == std::future_status::timeout ? "timeout" : "deferred";
}

template <typename F> static void shows(const char *what, F function) {
  try {
    function();
    printf("%s: nothing thrown\n", what);
  } catch (const std::future_error &error) {
    printf("%s: %d %s %s\n", what, error.code().value(), error.code().category().name(), error.code().message().c_str());
  } catch (const std::exception &error) {
    printf("%s: %s\n", what, error.what());
  }
}

static int live;

template <typename T> struct Counting {
  typedef T value_type;
  Counting() = default;
  template <typename U> Counting(const Counting<U> &) {}
  T *allocate(std::size_t count) {
    live++;
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T *memory, std::size_t count) {
    live--;
    std::allocator<T>().deallocate(memory, count);
  }
  template <typename U> bool operator==(const Counting<U> &) const { return true; }
  template <typename U> bool operator!=(const Counting<U> &) const { return false; }
};

static void waits() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  printf("unset: %s %s\n", name(future.wait_for(0s)), name(future.wait_for(1ms)));
  printf("until now: %s\n", name(future.wait_until(std::chrono::steady_clock::now())));
  printf("until past: %s\n", name(future.wait_until(std::chrono::system_clock::now() - 1h)));
  promise.set_value(3);
  printf("set: %s %s\n", name(future.wait_for(0s)), name(future.wait_until(std::chrono::steady_clock::now() - 1s)));
  printf("value %d, valid %d\n", future.get(), future.valid());
  std::future<int> deferred = std::async(std::launch::deferred, [](int number) { return number * 2; }, 21);
  printf("deferred: %s %s", name(deferred.wait_for(0s)), name(deferred.wait_until(std::chrono::steady_clock::now())));
  deferred.wait();
  printf(", run: %s %d\n", name(deferred.wait_for(0s)), deferred.get());
}

static void at_exit() {
  std::atomic<bool> late(false);
  struct Last {
    std::atomic<bool> *late;
    ~Last() { *late = true; }
  };
  std::promise<int> value, error;
  std::packaged_task<int(int)> task([](int number) { return number + 1; });
  std::future<int> first = value.get_future(), second = error.get_future(), third = task.get_future();
  std::thread thread([&]() {
    value.set_value_at_thread_exit(1);
    error.set_exception_at_thread_exit(std::make_exception_ptr(std::runtime_error("at the end")));
    task.make_ready_at_thread_exit(2);
    shows("set before the end", [&]() { value.set_value(5); });
    shows("called before the end", [&]() { task(5); });
    static thread_local Last last{&late};
    if (last.late != &late)
      abort();
  });
  printf("at the end: %d %d", first.get(), third.get());
  printf(", thread-local variables destroyed: %d\n", (int)late);
  shows("error at the end", [&]() { second.get(); });
  thread.join();
}

static void moves() {
  std::promise<std::unique_ptr<int>> one, other;
  std::future<std::unique_ptr<int>> first = one.get_future();
  one.swap(other);
  swap(one, other);
  std::promise<std::unique_ptr<int>> moved(std::move(one));
  shows("moved from", [&]() { one.set_value(nullptr); });
  shows("moved from", [&]() { one.get_future(); });
  moved.set_value(std::unique_ptr<int>(new int(7)));
  std::future<std::unique_ptr<int>> second(std::move(first));
  printf("moved: %d %d, value %d\n", first.valid(), second.valid(), *second.get());
  std::future<std::unique_ptr<int>> abandoned = other.get_future();
  other = std::promise<std::unique_ptr<int>>();
  shows("assigned over", [&]() { abandoned.get(); });

  std::packaged_task<int(std::unique_ptr<int>)> task([](std::unique_ptr<int> number) { return *number; }), empty;
  printf("valid: %d %d\n", task.valid(), empty.valid());
  swap(task, empty);
  task = std::move(empty);
  std::future<int> result = task.get_future();
  task(std::unique_ptr<int>(new int(8)));
  printf("task: %d\n", result.get());
  shows("called again", [&]() { task(nullptr); });
  task.reset();
  result = task.get_future();
  shows("second future", [&]() { task.get_future(); });
  task(std::unique_ptr<int>(new int(9)));
  printf("reset: %d\n", result.get());
  task.reset();
  result = task.get_future();
  task = std::packaged_task<int(std::unique_ptr<int>)>();
  shows("abandoned task", [&]() { result.get(); });
  shows("no task", [&]() { task(nullptr); });
  shows("no task", [&]() { task.reset(); });
  std::packaged_task<void()> fails([]() { throw std::logic_error("from a task"); });
  std::future<void> failed = fails.get_future();
  fails();
  shows("task", [&]() { failed.get(); });
}

static void shares() {
  std::promise<std::string> promise(std::allocator_arg, Counting<char>());
  std::shared_future<std::string> one = promise.get_future(), other = one, none;
  printf("shares: %d %d, allocated: %d\n", one.valid(), none.valid(), live > 0);
  promise.set_value("shared");
  none = std::move(other);
  printf("%s %s, %s\n", one.get().c_str(), none.get().c_str(), &one.get() == &none.get() ? "one value" : "two");
  one = none = std::shared_future<std::string>();
  { std::promise<std::string> gone(std::move(promise)); }
  printf("allocated: %d\n", live);
  std::promise<void> fails;
  std::shared_future<void> failed = fails.get_future().share(), again = failed;
  fails.set_exception(std::make_exception_ptr(std::out_of_range("shared")));
  shows("first share", [&]() { failed.get(); });
  shows("same share", [&]() { failed.get(); });
  shows("other share", [&]() { again.get(); });
  int number = 1;
  std::promise<int &> reference;
  reference.set_value(number);
  printf("the variable itself: %d\n", &reference.get_future().get() == &number);
}

static void asyncs() {
  bool has_run = false;
  { std::future<void> waits = std::async(std::launch::async, [&]() { has_run = true; }); }
  printf("run by the end of the future: %d\n", has_run);
  { std::future<void> never = std::async(std::launch::deferred, [&]() { has_run = false; }); }
  printf("a deferred one is not: %d\n", has_run);
  std::future<std::thread::id> here = std::async(std::launch::deferred, std::this_thread::get_id);
  std::future<std::thread::id> there = std::async(std::launch::async, std::this_thread::get_id);
  printf("in this thread: %d %d\n", here.get() == std::this_thread::get_id(), there.get() == std::this_thread::get_id());
  std::future<std::vector<int>> fails = std::async([]() -> std::vector<int> { throw std::runtime_error("from async"); });
  shows("async", [&]() { fails.get(); });
  std::unique_ptr<int> own(new int(4));
  auto adds = std::async([](std::unique_ptr<int> number, int &to) { return to += *number; }, std::move(own), std::ref(live));
  printf("arguments: %d\n", adds.get());
}

int main() {
  waits();
  at_exit();
  moves();
  shares();
  asyncs();
  return 0;
}
