// Tasks of one group are not ordered among themselves.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      x = 1; //~ race x #1
#pragma omp task
      y = x; //~ race x #1
    }
  }
  return 0;
}
