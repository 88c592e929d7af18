// Nobody waits for a detached thread.
// expect: race
#include <pthread.h>

int x;

static void *work(void *unused) {
  pthread_detach(pthread_self());
  x = 1; //~ race x #1
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  x = 2; //~ race x #1
}
