// A pipeline of three threads: lines are made, split into words, counted; blocks of lines move on by queues.
// expect: race-free observed-schedule
// args: 40
#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

template <typename T> class Channel {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::unique_ptr<T>> waiting;
  bool closed = false;

public:
  void send(std::unique_ptr<T> value) {
    std::lock_guard<std::mutex> guard(lock);
    waiting.push_back(std::move(value));
    changed.notify_one();
  }
  void close() {
    std::lock_guard<std::mutex> guard(lock);
    closed = true;
    changed.notify_one();
  }
  std::unique_ptr<T> receive() {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [&] { return closed || !waiting.empty(); });
    if (waiting.empty())
      return nullptr;
    auto value = std::move(waiting.front());
    waiting.pop_front();
    return value;
  }
};

using Words = std::vector<std::string>;

int main(int count, char **arguments) {
  long blocks = count > 1 ? atol(arguments[1]) : 16000;
  const int LINES = 16;
  Channel<Words> lines, words;
  std::unordered_map<std::string, long> counts;
  std::thread make([&] {
    unsigned random = 1;
    for (long block = 0; block < blocks; block++) {
      auto made = std::make_unique<Words>();
      for (int i = 0; i < LINES; i++) {
        std::string line;
        for (int word = 0; word < 8; word++) {
          random = random * 1103515245 + 12345;
          for (unsigned left = random >> 22; left; left /= 7)
            line += (char)('a' + left % 7);
          line += ' ';
        }
        made->push_back(line);
      }
      lines.send(std::move(made));
    }
    lines.close();
  });
  std::thread split([&] {
    while (auto block = lines.receive()) {
      auto made = std::make_unique<Words>();
      for (auto &line : *block)
        for (size_t from = 0, to; (to = line.find(' ', from)) != std::string::npos; from = to + 1)
          made->push_back(line.substr(from, to - from));
      words.send(std::move(made));
    }
    words.close();
  });
  std::thread gather([&] {
    while (auto block = words.receive())
      for (auto &word : *block)
        counts[word]++;
  });
  make.join(), split.join(), gather.join();
  long total = 0;
  for (auto &[word, times] : counts)
    total += times;
  assert(total == blocks * LINES * 8);
}
