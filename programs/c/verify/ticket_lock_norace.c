// A ticket lock, in three threads.
// expect: race-free all-schedules
// run: race-free
// executions: 126
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int next, serving;
int counter;

static void *count(void *unused) {
  int own = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != own)
    sched_yield();
  counter++;
  atomic_store(&serving, own + 1);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  count(0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 3);
}
