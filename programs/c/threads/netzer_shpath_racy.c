// Shortest paths in small: of four threads two find the nearest of their nodes by the distances of the round before, while two update the distances
// of this one. Two subscripts are wrong: the nearest nodes go into one cell, and the second update begins one node early. As
// programs/tp/examples/netzer_shpath.tp.
// Source: after Netzer's test program shpath.
// expect: race
#include <pthread.h>

int distance[4], before[4], nearest[2];

static void *work(void *number) {
  int t = (int)(long)number;
  if (t < 2) {
    int best = 2 * t;
    if (before[2 * t + 1] < before[best])
      best = 2 * t + 1;
    nearest[0] = best; //~ race nearest[] #1
    // Should be nearest[t].
  } else {
    int part = t - 2, from = part; // Should be 2 * part.
    for (int i = from; i < 2 * part + 2; i++)
      distance[i] = distance[i] + 1; //~ race distance[] #2
  }
  return 0;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    distance[i] = before[i] = 4 - i;
  for (long t = 0; t < 4; t++)
    pthread_create(&threads[t], 0, work, (void *)t);
  for (int t = 0; t < 4; t++)
    pthread_join(threads[t], 0);
}
