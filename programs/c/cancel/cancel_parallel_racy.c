// Both threads write before either is cancelled.
// expect: race
// env: OMP_CANCELLATION=true
int x;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    x++; //~ race x #1
#pragma omp cancel parallel
  }
  return 0;
}
