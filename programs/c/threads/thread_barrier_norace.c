// Phases that a barrier separates. The threads are those that it waits for: every schedule meets alike.
// expect: race-free all-schedules
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, PHASES = 4 };
pthread_barrier_t barrier;
int cell[2][THREADS];

static void *work(void *number) {
  int i = (int)(long)number;
  for (int phase = 0; phase < PHASES; phase++) {
    int left = cell[phase % 2][(i + THREADS - 1) % THREADS], right = cell[phase % 2][(i + 1) % THREADS];
    cell[(phase + 1) % 2][i] = left + right + 1;
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
  pthread_barrier_destroy(&barrier);
  for (int i = 0; i < THREADS; i++)
    assert(cell[PHASES % 2][i] == 15);
}
