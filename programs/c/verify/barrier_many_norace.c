// The order in which threads come to a barrier makes no difference, if they are always the same.
// expect: race-free
// run: race-free
// executions: 1
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 3 };
pthread_barrier_t barrier;
int value[THREADS], sum[THREADS];

static void *work(void *argument) {
  long own = (long)argument;
  for (int round = 0; round < ROUNDS; round++) {
    value[own] = round;
    pthread_barrier_wait(&barrier);
    sum[own] += value[(own + 1) % THREADS];
    pthread_barrier_wait(&barrier);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, 0, THREADS);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], 0);
  return sum[0] != 3;
}
