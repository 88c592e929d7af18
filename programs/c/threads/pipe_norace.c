// A thread waits in the system for what another one writes.
// expect: race-free
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

int ends[2];

static void *read_all(void *unused) {
  char byte;
  struct pollfd polled = {ends[0], POLLIN, 0};
  assert(poll(&polled, 1, -1) == 1);
  for (int i = 0; i < 3; i++) {
    assert(read(ends[0], &byte, 1) == 1);
    assert(byte == 'a' + i);
  }
  return unused;
}

int main(void) {
  pthread_t reader;
  assert(pipe(ends) == 0);
  pthread_create(&reader, 0, read_all, 0);
  for (int i = 0; i < 3; i++) {
    char byte = (char)('a' + i);
    usleep(1000);
    assert(write(ends[1], &byte, 1) == 1);
  }
  pthread_join(reader, 0);
}
