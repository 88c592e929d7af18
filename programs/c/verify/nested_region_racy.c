// An inner team: its sections and those of the outer one share a name.
// expect: race
// run: race-free
// executions: 3
int order, x;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp parallel num_threads(2)
      {
#pragma omp critical
        order = order * 2;
      }
      x = 1; //~ race x #1
    }
#pragma omp section
    {
      int now;
#pragma omp critical
      now = ++order;
#pragma omp critical
      now = order - now;
      if (now == 1)
        x = 2; //~ race x #1
    }
  }
  return 0;
}
