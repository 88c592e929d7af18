// A task divides by zero.
// expect: program-error
// message: floating point exception
volatile int zero;
int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 7 / zero;
  }
  return 0;
}
