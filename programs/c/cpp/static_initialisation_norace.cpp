// The initialisation of a local static is done once, by whoever comes first; the others wait for it.
// expect: race-free
#include <cassert>
#include <vector>

__attribute__((noinline)) static const std::vector<int> &table() {
  static const std::vector<int> values(10, 3);
  return values;
}

int main() {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static, 1)
  for (int i = 0; i < 10; i++)
    sum += table()[i];
  assert(sum == 30);
  return 0;
}
