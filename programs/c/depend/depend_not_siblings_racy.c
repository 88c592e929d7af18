// Dependences order children of one task; these two have different parents.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task depend(out : x)
      x = 1; //~ race x #1
    }
#pragma omp task
    {
#pragma omp task depend(in : x)
      y = x; //~ race x #1
    }
  }
  return 0;
}
