// Its creator does not wait for it.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp target nowait map(tofrom : x)
    x = 1; //~ race x #1
    y = x; //~ race x #1
#pragma omp taskwait
  }
  return 0;
}
