// Streams and descriptors: only what has come is written.
// expect: race-free all-schedules
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define TASK _Pragma("omp task")

char a[16] = "aaaa", b[16], c[64], d[16] = "dddddddd", e[16];
int ends[2];
struct iovec parts[2] = {{e, 2}, {e + 8, 4}};
long results[8];

int main(void) {
  FILE *file = tmpfile();
  assert(file && fputs("line\n", file) >= 0);
  rewind(file);
  assert(pipe(ends) == 0 && write(ends[1], "12345678", 8) == 8);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK puts(a);
    TASK puts(a);
    TASK results[0] = fgets(c, 64, file) != 0;
    TASK c[6] = 'c';
    TASK results[1] = read(ends[0], b, 4);
    TASK b[4] = 'b';
    TASK results[2] = readv(ends[0], parts, 2);
    TASK e[2] = 'e';
    TASK e[10] = 'e';
    TASK results[3] = (long)fwrite(d, 1, 4, stdout);
    TASK d[4] = '\n';
  }
  assert(results[0] && !strcmp(c, "line\n") && results[1] == 4 && !memcmp(b, "1234b", 5));
  assert(results[2] == 4 && !memcmp(e, "56e", 3) && !memcmp(e + 8, "78e", 3) && results[3] == 4);
  fclose(file);
  return 0;
}
