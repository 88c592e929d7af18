// One thread of a barrier is told that it is the last and does what has to be done once, before all meet again. Which one is up to the schedule.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, PHASES = 4 };
pthread_barrier_t barrier;
int sum, part[THREADS];

static void *work(void *number) {
  int i = (int)(long)number;
  for (int phase = 0; phase < PHASES; phase++) {
    part[i] = phase;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
      for (int other = 0; other < THREADS; other++)
        sum += part[other];
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
  assert(sum == THREADS * (0 + 1 + 2 + 3));
}
