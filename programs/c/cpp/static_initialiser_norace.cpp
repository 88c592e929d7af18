// A static object is made before main by tasks, used by main, and destroyed after it by others.
// expect: race-free all-schedules
#include <cassert>
#include <vector>

struct Table {
  std::vector<int> squares;

  Table() : squares(100) {
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
      squares[i] = i * i;
  }

  ~Table() {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
      sum += squares[i];
    assert(sum == 328350 + 1);
  }
};

static Table table;

int main() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    table.squares[0] = 1;
#pragma omp taskwait
  }
  return 0;
}
