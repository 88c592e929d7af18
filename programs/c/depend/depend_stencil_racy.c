// The neighbours are read, but not waited for.
// expect: race
#define BLOCKS 5

int value[2][BLOCKS + 2];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < 2; step++) {
    int *from = value[step], *to = value[1 - step];
    for (int b = 1; b <= BLOCKS; b++) {
#pragma omp task depend(in : from[b]) depend(out : to[b])
      to[b] = from[b - 1] + from[b + 1]; //~ race value[] #1
    }
  }
  return 0;
}
