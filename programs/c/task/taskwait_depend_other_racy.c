// It does not join the others.
// expect: race
int x, y, copy;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(out : y)
    y = 2; //~ race y #1
#pragma omp taskwait depend(in : x)
    copy = x + y; //~ race y #1
  }
  return 0;
}
