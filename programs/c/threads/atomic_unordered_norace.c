// expect: race-free observed-schedule
// Which of the two additions comes first is up to the schedule, and with it who writes.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;
static int data;

static void *work(void *argument) {
  (void)argument;
  if (atomic_fetch_add_explicit(&done, 1, memory_order_acq_rel) == 1) data++;
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return data != 1;
}
