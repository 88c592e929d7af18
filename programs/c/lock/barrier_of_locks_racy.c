// The same with one lock left out.
// expect: race
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
    data[own] = own + 1; //~ race data[] #1
    omp_unset_lock(&lock[own]);
    for (int i = 1; i < N; i++) {
      omp_set_lock(&lock[i]);
      omp_unset_lock(&lock[i]);
    }
    for (int i = 0; i < N; i++)
      sum[own] += data[i]; //~ race data[] #1
  }
  return 0;
}
