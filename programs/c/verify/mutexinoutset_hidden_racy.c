// Tasks that exclude each other by a dependence run in either order; the second task starts a task only if it is first.
// expect: race
// run: race-free
// executions: 1
int m, first, x;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(mutexinoutset : m)
    if (!first)
      first = 1;
#pragma omp task depend(mutexinoutset : m)
    if (!first) {
      first = 2;
#pragma omp task
      x = 1; //~ race x #1
    }
    x = 2; //~ race x #1
  }
  return 0;
}
