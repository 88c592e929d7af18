// A merge sort whose left halves are sorted by std::async, down to a size.
// expect: race-free all-schedules
// args: 20000
#include <cassert>
#include <cstdlib>
#include <future>
#include <vector>

static void merge(const int *left, const int *middle, const int *end, int *to) {
  const int *right = middle;
  while (left < middle && right < end)
    *to++ = *right < *left ? *right++ : *left++;
  while (left < middle)
    *to++ = *left++;
  while (right < end)
    *to++ = *right++;
}

static void sort(int *data, int *space, size_t size) {
  if (size <= 16) {
    for (size_t i = 1; i < size; i++) {
      int value = data[i];
      size_t at = i;
      for (; at > 0 && data[at - 1] > value; at--)
        data[at] = data[at - 1];
      data[at] = value;
    }
    return;
  }
  size_t half = size / 2;
  if (size > 4096) {
    auto left = std::async(std::launch::async, [=] { sort(data, space, half); });
    sort(data + half, space + half, size - half);
    left.get();
  } else {
    sort(data, space, half);
    sort(data + half, space + half, size - half);
  }
  merge(data, data + half, data + size, space);
  for (size_t i = 0; i < size; i++)
    data[i] = space[i];
}

int main(int count, char **arguments) {
  size_t size = count > 1 ? atol(arguments[1]) : 4000000;
  std::vector<int> data(size), space(size);
  unsigned random = 3;
  for (auto &value : data)
    value = (int)((random = random * 1664525 + 1013904223) >> 1);
  sort(data.data(), space.data(), size);
  for (size_t i = 1; i < size; i++)
    assert(data[i - 1] <= data[i]);
}
