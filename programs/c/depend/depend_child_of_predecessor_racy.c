// The predecessor is complete when its own body is; its child is not waited for.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    {
#pragma omp task
      x = 1; //~ race x #1
    }
#pragma omp task depend(in : x)
    y = x; //~ race x #1
  }
  return 0;
}
