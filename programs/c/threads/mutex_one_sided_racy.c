// One of the threads forgets the mutex.
// expect: race
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void *careful(void *unused) {
  pthread_mutex_lock(&mutex);
  counter = 1; //~ race counter #1
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *careless(void *unused) {
  counter = 2; //~ race counter #1
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, careful, 0);
  pthread_create(&b, 0, careless, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
