// Three threads initialise a value once; whoever comes first does it. Those that find it done need no order among them.
// expect: race-free all-schedules
// run: race-free
// executions: 3
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int value;

static void make(void) { value++; }

static void *use(void *unused) {
  pthread_once(&once, make);
  assert(value == 1);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, use, 0);
  pthread_create(&b, 0, use, 0);
  use(0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
