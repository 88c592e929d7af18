// Members of two sets do not exclude each other.
// expect: race
int a, b, x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(mutexinoutset : a)
    x = 1; //~ race x #1
#pragma omp task depend(mutexinoutset : b)
    y = x; //~ race x #1
  }
  return 0;
}
