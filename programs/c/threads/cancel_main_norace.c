// A thread cancels main, which waits for it. The handler of main runs, and the program goes on until the thread has ended.
// expect: race-free observed-schedule
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

pthread_t initial;
sem_t cleaned;

static void clean(void *unused) {
  (void)unused;
  sem_post(&cleaned);
}

static void *cancel(void *unused) {
  usleep(1000);
  pthread_cancel(initial);
  sem_wait(&cleaned);
  exit(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  initial = pthread_self();
  sem_init(&cleaned, 0, 0);
  pthread_cleanup_push(clean, 0);
  pthread_create(&thread, 0, cancel, 0);
  pthread_join(thread, 0);
  abort();
  pthread_cleanup_pop(0);
}
