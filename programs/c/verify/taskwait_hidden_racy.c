// A task starts another one, which nobody waits for, only if its section comes after its creator's.
// expect: race
// run: race-free
// executions: 1
int ready, x;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
      int late;
#pragma omp critical
      late = ready;
      if (late) {
#pragma omp task
        x = 1; //~ race x #1
      }
    }
#pragma omp critical
    ready = 1;
#pragma omp taskwait
    x = 2; //~ race x #1
  }
  return 0;
}
