// Two threads take two mutexes in opposite orders, and each has one before it asks for the other.
// expect: deadlock
// message: main waits for mutex b held by main/1; main/1 waits for mutex a held by main
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;

static void *take_b(void *unused) {
  pthread_mutex_lock(&b);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&a);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&both, 0, 2);
  pthread_create(&thread, 0, take_b, 0);
  pthread_mutex_lock(&a);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&b);
}
