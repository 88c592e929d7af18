// A ring buffer of four items: both threads enter the critical section again and again until there is room, or an item.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>
#define N 400

int ring[4], head, tail, sum;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < N; i++)
      for (int done = 0; !done;)
#pragma omp critical
        if (head - tail < 4) {
          ring[head++ % 4] = i;
          done = 1;
        }
  } else {
    for (int i = 0; i < N; i++)
      for (int done = 0; !done;)
#pragma omp critical
        if (head > tail) {
          sum += ring[tail++ % 4];
          done = 1;
        }
  }
  assert(sum == N * (N - 1) / 2);
  return 0;
}
