// One of the readers has no depend clause.
// expect: race
int x, y, z;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1; //~ race x #1
#pragma omp task depend(in : x)
    y = x;
#pragma omp task
    z = x; //~ race x #1
  }
  return 0;
}
