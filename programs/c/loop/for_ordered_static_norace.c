// A region of the loop that follows the ordered region is not ordered, but touches nothing shared.
// expect: race-free all-schedules
#include <assert.h>
#define N 20

int sum, squares[N];

int main(void) {
#pragma omp parallel for ordered schedule(static, 3)
  for (int i = 0; i < N; i++) {
#pragma omp ordered
    sum += i;
    squares[i] = i * i;
  }
  assert(sum == N * (N - 1) / 2 && squares[N - 1] == (N - 1) * (N - 1));
  return 0;
}
