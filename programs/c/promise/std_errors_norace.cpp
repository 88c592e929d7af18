// What goes wrong with promises goes wrong as the standard says, in every schedule: an exception, a broken promise, a second
// set, a second future, no state, a set at the end of the thread.
// expect: race-free all-schedules
#include <cassert>
#include <future>
#include <stdexcept>

template <typename F> static std::future_errc thrown(F function) {
  try {
    function();
  } catch (const std::future_error &error) {
    for (int code = 1; code <= 4; ++code)
      if (error.code() == static_cast<std::future_errc>(code))
        return static_cast<std::future_errc>(code);
  }
  assert(false);
  return std::future_errc::no_state;
}

struct Last {
  int *written;
  ~Last() { *written = 1; }
};

int main() {
  std::promise<int> fails;
  std::future<int> failed = fails.get_future();
  std::thread setter([&]() {
    try {
      throw std::runtime_error("no value");
    } catch (...) {
      fails.set_exception(std::current_exception());
    }
    assert(thrown([&]() { fails.set_value(1); }) == std::future_errc::promise_already_satisfied);
  });
  bool caught = false;
  try {
    failed.get();
  } catch (const std::runtime_error &) {
    caught = true;
  }
  setter.join();
  assert(caught && !failed.valid());
  assert(thrown([&]() { failed.get(); }) == std::future_errc::no_state);
  assert(thrown([&]() { fails.get_future(); }) == std::future_errc::future_already_retrieved);

  std::future<void> abandoned;
  std::thread forgets([&]() {
    std::promise<void> promise;
    abandoned = promise.get_future();
  });
  forgets.join();
  assert(thrown([&]() { abandoned.get(); }) == std::future_errc::broken_promise);

  int written = 0;
  std::promise<int> at_exit;
  std::future<int> ended = at_exit.get_future();
  std::thread ends([&]() {
    at_exit.set_value_at_thread_exit(5);
    static thread_local Last last{&written};
    assert(*last.written == 0);
  });
  assert(ended.get() == 5 && written == 1);
  ends.join();
  return 0;
}
