// A function of the program's own that has the name of one of the C library's, and creates a task.
// expect: race
int x;
double two = 2, none;

__attribute__((noinline)) double erf(double value) {
#pragma omp task shared(x)
  x = 1; //~ race x #1
  return value + none;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    x = 0;
    two = erf(two);
    x = 2; //~ race x #1
  }
  return 0;
}
