// Two single regions may be run by two threads at the same time.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    x = 1; //~ race x #1
#pragma omp single nowait
    y = x; //~ race x #1
  }
  return 0;
}
