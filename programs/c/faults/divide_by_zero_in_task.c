// A task divides by zero.
// expect: program-error
// message: SIGFPE
volatile int zero;
int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1 / zero;
  }
  return 0;
}
