// Cancelling tells the others to stop; it does not make them stop before they write.
// expect: race
// env: OMP_CANCELLATION=true
#define N 40

int found;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < N; i++) {
      if (i < 2) {
        found = i; //~ race found #1
#pragma omp cancel for
      }
    }
  }
  return 0;
}
