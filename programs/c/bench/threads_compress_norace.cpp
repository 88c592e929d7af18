// A compressor whose threads take blocks by a counter under a mutex; each block is decompressed again.
// expect: race-free observed-schedule
// args: 4 8192
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

using Bytes = std::vector<uint8_t>;

static const size_t SHORTEST = 4, LONGEST = 255, WINDOW = 65535;

static uint32_t hash(const uint8_t *at) {
  uint32_t word = at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
  return word * 2654435761u >> 20;
}

// A byte 0, a length and literals, or the length of a match and its distance.
static Bytes compress(const uint8_t *from, size_t length) {
  std::vector<uint32_t> last(4096, UINT32_MAX);
  Bytes to;
  size_t at = 0, literal = 0;
  auto flush = [&](size_t end) {
    while (literal < end) {
      size_t part = end - literal < LONGEST ? end - literal : LONGEST;
      to.push_back(0), to.push_back((uint8_t)part);
      to.insert(to.end(), from + literal, from + literal + part);
      literal += part;
    }
  };
  while (at + SHORTEST <= length) {
    uint32_t &slot = last[hash(from + at)];
    size_t before = slot, match = 0;
    slot = (uint32_t)at;
    if (before != UINT32_MAX && at - before <= WINDOW)
      while (match < LONGEST && at + match < length && from[before + match] == from[at + match])
        match++;
    if (match < SHORTEST) {
      at++;
      continue;
    }
    flush(at);
    to.push_back((uint8_t)match);
    to.push_back((uint8_t)(at - before)), to.push_back((uint8_t)((at - before) >> 8));
    literal = at += match;
  }
  flush(length);
  return to;
}

static Bytes decompress(const Bytes &from) {
  Bytes to;
  for (size_t at = 0; at < from.size();) {
    size_t length = from[at];
    if (length == 0) {
      length = from[at + 1];
      to.insert(to.end(), from.begin() + at + 2, from.begin() + at + 2 + length);
      at += 2 + length;
      continue;
    }
    size_t distance = from[at + 1] | from[at + 2] << 8;
    for (; length > 0; length--)
      to.push_back(to[to.size() - distance]);
    at += 3;
  }
  return to;
}

int main(int count, char **arguments) {
  size_t blocks = count > 1 ? atol(arguments[1]) : 256;
  size_t size = count > 2 ? atol(arguments[2]) : 65536;
  Bytes data(blocks * size);
  uint32_t random = 7;
  for (size_t at = 0; at < data.size(); at++) {
    random = random * 1664525 + 1013904223;
    // Words of a small alphabet, repeated now and then.
    data[at] = at > 64 && random >> 28 ? data[at - 17 - (random >> 30)] : 'a' + (random >> 27);
  }
  std::vector<Bytes> compressed(blocks);
  std::mutex lock;
  size_t next = 0;
  auto work = [&] {
    for (;;) {
      size_t mine;
      {
        std::lock_guard<std::mutex> guard(lock);
        mine = next++;
      }
      if (mine >= blocks)
        return;
      compressed[mine] = compress(&data[mine * size], size);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back(work);
  for (auto &thread : threads)
    thread.join();
  size_t total = 0;
  for (size_t block = 0; block < blocks; block++) {
    Bytes back = decompress(compressed[block]);
    assert(back.size() == size && std::equal(back.begin(), back.end(), data.begin() + block * size));
    total += compressed[block].size();
  }
  assert(total < data.size());
}
