// Two tasks without any order.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1; //~ race x #1
#pragma omp task
    y = x; //~ race x #1
  }
  return 0;
}
