// The undeferred task is waited for, its child is not.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task if (0)
    {
#pragma omp task
      x = 1; //~ race x #1
    }
    y = x; //~ race x #1
  }
  return 0;
}
