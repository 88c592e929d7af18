// A task that is created in an ordered region may execute after it.
// expect: race
#define N 6

int sum;

int main(void) {
#pragma omp parallel for ordered
  for (int i = 0; i < N; i++) {
#pragma omp ordered
    {
#pragma omp task
      sum += i; //~ race sum #1
    }
  }
  return 0;
}
