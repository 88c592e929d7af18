// Any thread may execute the single; only thread 0 comes to it after the master region.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 1; //~ race x #1
#pragma omp single
    y = x; //~ race x #1
  }
  return y > 1;
}
