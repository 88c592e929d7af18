// Functions whose results are futures: threads of their own, deferred ones, packaged ones, each with arguments.
// expect: race-free all-schedules
#include <cassert>
#include <functional>
#include <future>
#include <vector>

static int sum(const std::vector<int> &numbers, std::size_t from, std::size_t to) {
  if (to - from < 4) {
    int total = 0;
    for (; from < to; ++from)
      total += numbers[from];
    return total;
  }
  std::size_t middle = (from + to) / 2;
  std::future<int> left = std::async(std::launch::async, sum, std::cref(numbers), from, middle);
  int right = sum(numbers, middle, to);
  return left.get() + right;
}

int main() {
  std::vector<int> numbers(32, 2);
  assert(sum(numbers, 0, numbers.size()) == 64);
  int written = 0;
  std::future<void> later = std::async(std::launch::deferred, [&]() { written = 1; });
  std::thread unrelated([&]() { numbers[0] = 3; });
  later.get();
  unrelated.join();
  std::packaged_task<int(int)> task([&](int more) { return numbers[0] + more; });
  std::future<int> result = task.get_future();
  std::thread runs(std::move(task), 4);
  assert(result.get() == 7 && written == 1);
  runs.join();
  return 0;
}
