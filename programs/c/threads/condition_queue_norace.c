// A bounded queue: producer and consumer wait for each other at two condition variables.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>

enum { ROOM = 2, ITEMS = 20 };
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
int queue[ROOM], count, next_in, next_out;

static void *produce(void *unused) {
  for (int i = 1; i <= ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (count == ROOM)
      pthread_cond_wait(&not_full, &mutex);
    queue[next_in++ % ROOM] = i;
    count++;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&not_empty);
  }
  return unused;
}

int main(void) {
  pthread_t producer;
  int sum = 0;
  pthread_create(&producer, 0, produce, 0);
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (count == 0)
      pthread_cond_wait(&not_empty, &mutex);
    sum += queue[next_out++ % ROOM];
    count--;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&not_full);
  }
  pthread_join(producer, 0);
  assert(sum == ITEMS * (ITEMS + 1) / 2);
}
