// A task makes a hundred thousand tasks before it waits: many, but not too many.
// expect: race-free all-schedules
#define N 100000

char done[N];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < N; i++) {
#pragma omp task
    done[i] = 1;
  }
  for (int i = 0; i < N; i++)
    if (!done[i])
      return 1;
  return 0;
}
