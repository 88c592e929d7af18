// A function of the program's own that has the name of one of the C library's, and creates a task.
// expect: race
int x;

__attribute__((noinline)) double erf(double value) {
#pragma omp task shared(x)
  x = 1; //~ race x #1
  return value;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    x = 0;
    erf(2.0);
    x = 2; //~ race x #1
  }
  return 0;
}
