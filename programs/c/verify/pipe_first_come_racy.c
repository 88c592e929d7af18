// Two threads write to a pipe, and one byte is waited for: the other writer may be on its way still.
// expect: race
// run: race-free
// executions: 1
#include <pthread.h>
#include <unistd.h>

int ends[2], first, second;

static void *write_first(void *unused) {
  first = 1; //~ race first #1
  return write(ends[1], "a", 1) == 1 ? unused : 0;
}

static void *write_second(void *unused) {
  second = 1; //~ race? second #2
  return write(ends[1], "b", 1) == 1 ? unused : 0;
}

int main(void) {
  pthread_t a, b;
  char byte;
  if (pipe(ends) != 0)
    return 2;
  pthread_create(&a, 0, write_first, 0);
  pthread_create(&b, 0, write_second, 0);
  if (read(ends[0], &byte, 1) != 1)
    return 2;
  int seen = first + //~ race first #1
             second; //~ race? second #2
  pthread_join(a, 0);
  pthread_join(b, 0);
  return seen > 2;
}
