// Threads hand values on by pipes: whoever reads waits for whoever writes.
// expect: race-free all-schedules
// run: race-free
// executions: 8
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

int there[2], back[2], value;

static void *answer(void *unused) {
  char byte;
  assert(read(there[0], &byte, 1) == 1);
  value = byte + 1;
  assert(write(back[1], &byte, 1) == 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte = 1;
  assert(pipe(there) == 0 && pipe(back) == 0);
  pthread_create(&thread, 0, answer, 0);
  assert(write(there[1], &byte, 1) == 1);
  assert(read(back[0], &byte, 1) == 1);
  assert(value == 2);
  pthread_join(thread, 0);
}
