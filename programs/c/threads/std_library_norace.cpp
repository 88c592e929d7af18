// What the C++ library makes of threads: futures, promises, shared mutexes, latches, barriers, semaphores, waiting at atomic variables.
// expect: race-free observed-schedule
// flags: -std=c++20
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::string shared;
static std::shared_mutex lock;
static std::once_flag once;

int main() {
  std::string text;
  auto future = std::async(std::launch::async, [&] {
    text = "made";
    return text.size();
  });
  assert(future.get() == 4 && text == "made");
  auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("expected"); });
  try {
    failing.get();
    assert(false);
  } catch (const std::runtime_error &error) {
    assert(std::string(error.what()) == "expected");
  }

  std::promise<std::string> promise;
  std::jthread setter([&] {
    std::this_thread::sleep_for(1ms);
    promise.set_value("handed over");
  });
  assert(promise.get_future().get() == "handed over");

  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back([i] {
      std::call_once(once, [] { shared = "0"; });
      if (i == 0) {
        std::unique_lock hold(lock);
        shared += "1";
      } else {
        std::shared_lock hold(lock);
        assert(!shared.empty());
      }
    });
  threads.clear();
  assert(shared == "01");

  std::atomic<int> flag{0};
  int data = 0;
  std::latch latch(2);
  std::counting_semaphore<2> semaphore(0);
  std::barrier barrier(2);
  std::thread waiter([&] {
    flag.wait(0);
    assert(data == 1);
    latch.count_down();
    semaphore.acquire();
    assert(data == 2);
    barrier.arrive_and_wait();
  });
  data = 1;
  flag = 1;
  flag.notify_one();
  latch.arrive_and_wait();
  data = 2;
  semaphore.release();
  barrier.arrive_and_wait();
  waiter.join();

  std::timed_mutex timed;
  timed.lock();
  std::thread([&] { assert(!timed.try_lock_for(1ms)); }).join();
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock hold(mutex);
  assert(never.wait_for(hold, 1ms) == std::cv_status::timeout);
}
