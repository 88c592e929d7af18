// Tasks count into a histogram of their own and add it to the shared one in a critical section.
// expect: race-free observed-schedule
// args: 10000 1000
#include <assert.h>
#include <stdlib.h>
#define BINS 64

static long bins[BINS];

static void count(const unsigned char *data, long n) {
  long mine[BINS] = {0};
  for (long i = 0; i < n; i++)
    mine[data[i] % BINS]++;
#pragma omp critical
  for (int bin = 0; bin < BINS; bin++)
    bins[bin] += mine[bin];
}

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 100000000;
  long chunk = argc > 2 ? atol(argv[2]) : 100000;
  unsigned char *data = malloc(n);
#pragma omp parallel
#pragma omp single
  for (long at = 0; at < n; at += chunk) {
    long size = at + chunk < n ? chunk : n - at;
#pragma omp task
    {
      for (long i = at; i < at + size; i++)
        data[i] = (unsigned char)(i * i >> 3);
      count(data + at, size);
    }
  }
  long all = 0, fives = 0;
  for (int bin = 0; bin < BINS; bin++)
    all += bins[bin];
  for (long i = 0; i < n; i++)
    fives += data[i] % BINS == 5;
  assert(all == n && bins[5] == fives);
  free(data);
  return 0;
}
