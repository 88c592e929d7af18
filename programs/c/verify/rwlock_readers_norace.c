// Three readers of a reader-writer lock and a writer: only the writer's place among them matters.
// expect: race-free all-schedules
// run: race-free
// executions: 95
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value, seen[3];

static void *look(void *number) {
  pthread_rwlock_rdlock(&lock);
  seen[(long)number] = value;
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++)
    pthread_create(&threads[i], 0, look, (void *)i);
  pthread_rwlock_wrlock(&lock);
  value = 1;
  pthread_rwlock_unlock(&lock);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], 0);
}
