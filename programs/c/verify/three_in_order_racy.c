// The code that races runs only if the three sections come in the opposite order.
// expect: race
// run: race-free
// executions: 5
int step, x;

int main(void) {
#pragma omp parallel sections num_threads(3)
  {
#pragma omp section
    {
      int all;
#pragma omp critical
      all = step == 2;
      if (all)
        x = 1; //~ race x #1
    }
#pragma omp section
    {
#pragma omp critical
      if (step == 1)
        step = 2;
    }
#pragma omp section
    {
#pragma omp critical
      if (step == 0)
        step = 1;
      x = 2; //~ race x #1
    }
  }
  return 0;
}
