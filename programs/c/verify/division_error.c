// A division by what another section has yet to set.
// expect: program-error
// run: race-free
// executions: 2
// message: floating point exception
int divisor;

int main(void) {
  int result = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      divisor = 3;
    }
#pragma omp section
    {
      int by;
#pragma omp critical
      by = divisor;
      result = 12 / by;
    }
  }
  return result != 4;
}
