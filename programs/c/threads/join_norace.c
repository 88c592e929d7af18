// Threads sum parts of an array, each into an element of its own; main joins them and adds up.
// expect: race-free all-schedules
#include <assert.h>
#include <pthread.h>

int part[4];

static void *sum(void *number) {
  int i = (int)(long)number;
  for (int k = 1; k <= 10; k++)
    part[i] += k;
  return (void *)(long)part[i];
}

int main(void) {
  pthread_t threads[4];
  long total = 0;
  for (long i = 0; i < 4; i++)
    pthread_create(&threads[i], 0, sum, (void *)i);
  for (int i = 0; i < 4; i++) {
    void *result;
    pthread_join(threads[i], &result);
    total += (long)result + part[i];
  }
  assert(total == 440);
}
