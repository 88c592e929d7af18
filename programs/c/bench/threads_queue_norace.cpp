// A bounded queue with condition variables, between producers and consumers.
// expect: race-free observed-schedule
// args: 300
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

class Queue {
  std::mutex lock;
  std::condition_variable filled, emptied;
  std::vector<uint64_t> ring = std::vector<uint64_t>(64);
  size_t head = 0, size = 0;

public:
  void push(uint64_t value) {
    std::unique_lock<std::mutex> guard(lock);
    emptied.wait(guard, [&] { return size < ring.size(); });
    ring[(head + size++) % ring.size()] = value;
    filled.notify_one();
  }
  uint64_t pop() {
    std::unique_lock<std::mutex> guard(lock);
    filled.wait(guard, [&] { return size > 0; });
    uint64_t value = ring[head];
    head = (head + 1) % ring.size(), size--;
    emptied.notify_one();
    return value;
  }
};

int main(int count, char **arguments) {
  const int SIDES = 2;
  uint64_t each = count > 1 ? atol(arguments[1]) : 60000;
  Queue queue;
  std::vector<uint64_t> sums(SIDES);
  std::vector<std::thread> threads;
  for (int side = 0; side < SIDES; side++) {
    threads.emplace_back([&, side] {
      for (uint64_t i = 1; i <= each; i++)
        queue.push(i * SIDES + side);
    });
    threads.emplace_back([&, side] {
      uint64_t sum = 0;
      for (uint64_t i = 0; i < each; i++)
        sum += queue.pop() / SIDES;
      sums[side] = sum;
    });
  }
  for (auto &thread : threads)
    thread.join();
  assert(sums[0] + sums[1] == SIDES * (each * (each + 1) / 2));
}
