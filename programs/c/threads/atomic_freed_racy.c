// expect: race
// What a thread released in memory that it has freed orders nobody who gets the memory next.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// Too large for what the allocator keeps for each thread.
enum { SIZE = 5000 };

static int data;

static void *work(void *argument) {
  atomic_int *flag = argument;
  data = 1; //~ race data #1
  atomic_store_explicit(flag, 1, memory_order_release);
  free(flag);
  return 0;
}

int main(void) {
  void *first = malloc(SIZE);
  void *volatile between = malloc(SIZE);
  pthread_t thread;
  pthread_create(&thread, 0, work, first);
  usleep(1000);
  atomic_int *flag = malloc(SIZE);
  atomic_init(flag, 0);
  atomic_fetch_add_explicit(flag, 1, memory_order_acq_rel);
  data = 2; //~ race data #1
  free(flag);
  free(between);
  pthread_join(thread, 0);
}
