// Threads write under a lock that they have taken to read.
// expect: race
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int hits;

static void *look_up(void *unused) {
  pthread_rwlock_rdlock(&lock);
  hits = 1; //~ race hits #1
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, look_up, 0);
  pthread_create(&b, 0, look_up, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
