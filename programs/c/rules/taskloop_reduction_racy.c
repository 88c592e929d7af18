// The task that created the taskloop without a group reads the original variable beside it.
// expect: race
#define N 8

int sum, seen;

int main(void) {
  int *original = &sum;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(seen)
    seen = *original; //~ race sum #1
#pragma omp taskloop reduction(+ : sum) //~ race sum #1
    for (int i = 0; i < N; i++)
      sum += i;
  }
  return 0;
}
