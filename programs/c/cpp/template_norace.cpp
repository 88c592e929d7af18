// Constructs inside function templates, instantiated for two types.
// expect: race-free all-schedules
#include <cassert>

template <typename T, int N> T sum(const T (&values)[N]) {
  T total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < N; i++)
    total += values[i];
  return total;
}

int main() {
  int whole[6] = {1, 2, 3, 4, 5, 6};
  double real[4] = {0.5, 0.5, 0.5, 0.5};
  assert(sum(whole) == 21);
  assert(sum(real) == 2.0);
  return 0;
}
