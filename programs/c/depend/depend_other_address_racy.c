// The tasks name neighbouring elements, and use the same one.
// expect: race
int a[2], y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a[0])
    a[0] = 1; //~ race a[] #1
#pragma omp task depend(in : a[1])
    y = a[0]; //~ race a[] #1
  }
  return 0;
}
