// Lines that one thread writes to a pipe by a stream, and another one reads.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int ends[2], sent;

static void *read_lines(void *unused) {
  FILE *in = fdopen(ends[0], "r");
  char line[32];
  int count = 0;
  assert(fgets(line, sizeof line, in) && strcmp(line, "first\n") == 0 && sent == 1);
  while (fgets(line, sizeof line, in))
    count++;
  fclose(in);
  assert(count == 3);
  return unused;
}

int main(void) {
  pthread_t thread;
  assert(pipe(ends) == 0);
  pthread_create(&thread, 0, read_lines, 0);
  FILE *out = fdopen(ends[1], "w");
  sent = 1;
  fputs("first\n", out);
  fflush(out);
  for (int i = 0; i < 3; i++) {
    fprintf(out, "line %d\n", i);
    fflush(out);
  }
  fclose(out);
  pthread_join(thread, 0);
}
