// The neighbour's cell is read in the phase in which it is written.
// expect: race
#include <pthread.h>

pthread_barrier_t barrier;
int cell[2], sum[2];

static void *work(void *number) {
  int i = (int)(long)number;
  pthread_barrier_wait(&barrier);
  cell[i] = i;          //~ race cell[] #1
  sum[i] = cell[1 - i]; //~ race cell[] #1
  pthread_barrier_wait(&barrier);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, 0, 2);
  for (long i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], 0);
}
