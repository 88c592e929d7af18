// Two filters, two threads, one variable.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp masked filter(1)
    x = 1; //~ race x #1
#pragma omp masked filter(2)
    y = x; //~ race x #1
  }
  return 0;
}
