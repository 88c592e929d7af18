// A cache simulator in small: two threads share the references and have a cache of their own each; the counts of hits and misses are shared and
// unprotected. As programs/tp/examples/netzer_tycho.tp.
// Source: after Netzer's test program tycho.
// expect: race
#include <pthread.h>

int hits, misses;

static void *simulate(void *number) {
  int t = (int)(long)number, cached = 0;
  for (int r = 0; r < 3; r++) {
    int line = (r + t) / 2 + 1;
    if (line == cached)
      hits = hits + 1; //~ race hits #1
    else
      misses = misses + 1; //~ race misses #2
    cached = line;
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, simulate, (void *)0);
  pthread_create(&b, 0, simulate, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
