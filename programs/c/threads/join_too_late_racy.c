// Main reads what a thread writes before it joins the thread.
// expect: race
#include <pthread.h>
#include <stdio.h>

static int result;

static void *work(void *unused) {
  result = 1; //~ race result #1
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  printf("%d\n", result); //~ race result #1
  pthread_join(thread, 0);
}
