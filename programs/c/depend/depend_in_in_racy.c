// Two tasks that say they only read are not ordered; one of them writes.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(in : x)
    x = 1; //~ race x #1
#pragma omp task depend(in : x)
    y = x; //~ race x #1
  }
  return 0;
}
