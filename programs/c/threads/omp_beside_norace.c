// A thread and a team of OpenMP in one program, each with its own part.
// expect: race-free all-schedules
#include <assert.h>
#include <pthread.h>

int a[8], b[8];

static void *fill(void *unused) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 8; i++)
    a[i] = i;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, fill, 0);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 8; i++)
    b[i] = i;
  pthread_join(thread, 0);
  for (int i = 0; i < 8; i++)
    assert(a[i] == i && b[i] == i);
}
