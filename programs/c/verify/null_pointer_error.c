// A pointer that is null unless the other section came first.
// expect: program-error
// run: race-free
// executions: 1
// message: segmentation fault
int value = 1, *where;

int main(void) {
  int got = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
#pragma omp critical
      where = &value;
    }
#pragma omp task shared(got)
    {
      int *at;
#pragma omp critical
      at = where;
      got = *(volatile int *)at;
    }
  }
  return got != 1;
}
