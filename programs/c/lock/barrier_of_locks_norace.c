// A barrier built of locks: each thread holds its own until it has written, and takes all of them before it reads.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>
#define N 3

omp_lock_t lock[N];
int data[N], sum[N];

int main(void) {
  for (int i = 0; i < N; i++)
    omp_init_lock(&lock[i]);
#pragma omp parallel num_threads(N)
  {
    int own = omp_get_thread_num();
    omp_set_lock(&lock[own]);
#pragma omp barrier
    data[own] = own + 1;
    omp_unset_lock(&lock[own]);
    for (int i = 0; i < N; i++) {
      omp_set_lock(&lock[i]);
      omp_unset_lock(&lock[i]);
    }
    for (int i = 0; i < N; i++)
      sum[own] += data[i];
  }
  for (int i = 0; i < N; i++)
    assert(sum[i] == 6);
  return 0;
}
