// A thread sets a flag in each round and looks at another one; what it has set, the other thread takes back in between.
// expect: race-free all-schedules
// run: race-free
// executions: 60
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int asked, answered;
static int result;

static void *serve(void *unused) {
  while (!atomic_load(&asked))
    ;
  result = 1;
  atomic_store(&asked, 0);
  while (!atomic_load(&asked))
    ;
  atomic_store(&answered, 1);
  return unused;
}

int main(void) {
  pthread_t server;
  pthread_create(&server, 0, serve, 0);
  for (;;) {
    atomic_exchange(&asked, 1);
    if (atomic_load(&answered))
      break;
    sched_yield();
  }
  int got = result;
  pthread_join(server, 0);
  return got - 1;
}
