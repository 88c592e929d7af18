// A semaphore hands a value over.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t ready;
int value;

static void *make(void *unused) {
  value = 7;
  sem_post(&ready);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, 0, make, 0);
  sem_wait(&ready);
  assert(value == 7);
  pthread_join(thread, 0);
  sem_destroy(&ready);
}
