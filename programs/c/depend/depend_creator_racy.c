// A dependence orders the tasks, not their creator.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1; //~ race x #1
    y = x; //~ race x #1
  }
  return 0;
}
