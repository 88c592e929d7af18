// One thread joins another, and main joins that one: all that the first did comes before.
// expect: race-free all-schedules
#include <assert.h>
#include <pthread.h>

int x;
pthread_t first;

static void *write_x(void *unused) {
  x = 1;
  return unused;
}

static void *join_first(void *unused) {
  pthread_join(first, 0);
  x++;
  return unused;
}

int main(void) {
  pthread_t second;
  pthread_create(&first, 0, write_x, 0);
  pthread_create(&second, 0, join_first, 0);
  pthread_join(second, 0);
  assert(x == 2);
}
