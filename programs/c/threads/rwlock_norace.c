// Readers share a lock, the writer has it alone.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value;

static void *write_it(void *unused) {
  pthread_rwlock_wrlock(&lock);
  value++;
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void *read_it(void *unused) {
  pthread_rwlock_rdlock(&lock);
  assert(value >= 0);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], 0, i % 2 ? read_it : write_it, 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], 0);
  assert(value == 2);
}
