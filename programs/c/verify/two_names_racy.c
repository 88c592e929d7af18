// Critical sections of two names: the second one tells who came first through the first one.
// expect: race
// run: race-free
// executions: 2
int a, b, x;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical(one)
      a = 1;
#pragma omp critical(two)
      b = 1;
      x = 1; //~ race x #1
    }
#pragma omp section
    {
      int early, late;
#pragma omp critical(two)
      late = b;
#pragma omp critical(one)
      early = a;
      if (early && !late)
        x = 2; //~ race x #1
    }
  }
  return 0;
}
