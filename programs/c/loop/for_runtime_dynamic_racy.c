// The same loop with a dynamic kind: two iterations of what would be one chunk run on any two threads.
// expect: race
// env: OMP_SCHEDULE=nonmonotonic:dynamic,2
#define N 32

int sums[N / 4];

int main(void) {
#pragma omp parallel for schedule(runtime) num_threads(3)
  for (int i = 0; i < N; i++)
    sums[i / 4] += i; //~ race sums[] #1
  return 0;
}
