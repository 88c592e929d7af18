// Worksharing over random-access iterators.
// expect: race-free all-schedules
#include <cassert>
#include <vector>

int main() {
  std::vector<int> values(30, 1);
#pragma omp parallel for
  for (auto it = values.begin(); it < values.end(); ++it)
    *it += 1;
  for (int v : values)
    assert(v == 2);
  return 0;
}
