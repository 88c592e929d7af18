// The final task itself is deferred as any other.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task final(1)
    x = 1; //~ race x #1
    y = x; //~ race x #1
  }
  return 0;
}
