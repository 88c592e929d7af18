// expect: race-free all-schedules
// Every atomic operation comes after the one before it by creation and joins: no schedule has them in another order.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;
static int data;

static void *work(void *argument) {
  (void)argument;
  data++;
  atomic_fetch_add_explicit(&done, 1, memory_order_release);
  return 0;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    while (atomic_load_explicit(&done, memory_order_acquire) != i + 1) {
    }
  }
  return data != 3;
}
