// The program makes a thread of its own.
// expect: program-error
// message: pthread
#include <pthread.h>

int x;

static void *work(void *unused) {
  (void)unused;
  x = 1;
  return 0;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, work, 0) == 0)
    pthread_join(thread, 0);
  return 0;
}
