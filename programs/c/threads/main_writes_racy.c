// Only main writes the static variable, while a thread reads it.
// expect: race
#include <pthread.h>
#include <stdio.h>

static int limit;

static void *work(void *unused) {
  printf("%d\n", limit); //~ race limit #1
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  limit = 3; //~ race limit #1
  pthread_join(thread, 0);
}
