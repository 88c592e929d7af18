// A hash map with a lock for each of its shards: threads count words in it, and then look them up.
// expect: race-free observed-schedule
// args: 2000
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

struct Entry {
  uint64_t key, count;
};

struct Shard {
  std::mutex lock;
  std::vector<std::list<Entry>> buckets = std::vector<std::list<Entry>>(1024);
};

static const int SHARDS = 16, THREADS = 4;
static Shard shards[SHARDS];

static uint64_t mix(uint64_t key) {
  key = (key ^ key >> 31) * 0x7fb5d329728ea185;
  return key ^ key >> 27;
}

static uint64_t &count_of(Shard &shard, uint64_t key) {
  auto &bucket = shard.buckets[mix(key) / SHARDS % shard.buckets.size()];
  for (auto &entry : bucket)
    if (entry.key == key)
      return entry.count;
  bucket.push_front({key, 0});
  return bucket.front().count;
}

int main(int count, char **arguments) {
  uint64_t each = count > 1 ? atol(arguments[1]) : 1000000;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; thread++)
    threads.emplace_back([=] {
      uint64_t random = thread + 1;
      for (uint64_t i = 0; i < each; i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        uint64_t key = random >> 50;
        Shard &shard = shards[mix(key) % SHARDS];
        std::lock_guard<std::mutex> guard(shard.lock);
        count_of(shard, key)++;
      }
    });
  for (auto &thread : threads)
    thread.join();
  uint64_t total = 0;
  for (auto &shard : shards)
    for (auto &bucket : shard.buckets)
      for (auto &entry : bucket)
        total += entry.count;
  assert(total == each * THREADS);
}
