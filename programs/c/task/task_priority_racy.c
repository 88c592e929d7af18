// A priority is a hint, never an order.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task priority(100)
    x = 1; //~ race x #1
#pragma omp task priority(0)
    y = x; //~ race x #1
  }
  return 0;
}
