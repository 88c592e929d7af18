// The creator of a task goes on at once.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1; //~ race x #1
    y = x; //~ race x #1
  }
  return 0;
}
