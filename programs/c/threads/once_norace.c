// What several threads initialise once. Which of them does it is up to the schedule.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int made, value;

static void make(void) {
  made++;
  value = 3;
}

static void *use(void *unused) {
  pthread_once(&once, make);
  assert(value == 3);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, use, 0);
  pthread_create(&b, 0, use, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(made == 1);
}
