// Whoever is told so destroys the barrier at once. The others leave it nevertheless, and come after all who have met there.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3 };
pthread_barrier_t barrier;
int part[THREADS];

static void *work(void *number) {
  part[(long)number] = 1;
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
    pthread_barrier_destroy(&barrier);
  for (int other = 0; other < THREADS; other++)
    assert(part[other] == 1);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, 0, THREADS);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], 0);
}
