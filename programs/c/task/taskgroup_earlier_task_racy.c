// A task created before the group is not part of it.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1; //~ race x #1
#pragma omp taskgroup
    {
#pragma omp task
      y = 1;
    }
    y = x; //~ race x #1
  }
  return 0;
}
