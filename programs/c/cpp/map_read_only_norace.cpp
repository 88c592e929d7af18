// A map filled before the region is only read in it.
// expect: race-free all-schedules
#include <cassert>
#include <map>

int main() {
  std::map<int, int> squares;
  for (int i = 0; i < 20; i++)
    squares[i] = i * i;
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 20; i++)
    sum += squares.at(i);
  assert(sum == 2470);
  return 0;
}
