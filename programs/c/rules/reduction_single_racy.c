// With nowait a single may read the variable before all threads have combined.
// expect: race
#define N 12

int sum, seen;

int main(void) {
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) nowait //~ race sum #1
    for (int i = 0; i < N; i++)
      sum += i;
#pragma omp single
    seen = sum; //~ race sum #1
  }
  return 0;
}
