// A pointer leads to the original variable, into which other threads combine their parts.
// expect: race
#define N 12

int sum, seen[N];

int main(void) {
  int *original = &sum;
#pragma omp parallel
#pragma omp for reduction(+ : sum) //~ race sum #1
  for (int i = 0; i < N; i++) {
    sum += i;
    seen[i] = *original; //~ race sum #1
  }
  return 0;
}
