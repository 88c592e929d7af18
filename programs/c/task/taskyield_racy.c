// taskyield lets others run; it waits for nobody.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1; //~ race x #1
#pragma omp taskyield
    y = x; //~ race x #1
  }
  return 0;
}
