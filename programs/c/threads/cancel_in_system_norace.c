// Threads that wait in the system are canceled there.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

int ends[2], cleaned;

static void clean(void *unused) { cleaned++; }

static void *wait_in_read(void *unused) {
  char byte;
  pthread_cleanup_push(clean, 0);
  read(ends[0], &byte, 1);
  pthread_cleanup_pop(0);
  return unused;
}

static void *wait_in_pause(void *unused) {
  for (;;)
    pause();
}

int main(void) {
  void *(*const routines[])(void *) = {wait_in_read, wait_in_pause};
  assert(pipe(ends) == 0);
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, routines[i], 0);
    usleep(5000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
  }
  assert(cleaned == 1);
}
