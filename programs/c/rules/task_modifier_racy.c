// The task modifier covers tasks that take part; this one writes the original variable.
// expect: race
#define N 8

int sum;

int main(void) {
  int *original = &sum;
#pragma omp parallel
#pragma omp for reduction(task, + : sum)
  for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
#pragma omp task
    *original += 1; //~ race sum #1
  }
  return 0;
}
