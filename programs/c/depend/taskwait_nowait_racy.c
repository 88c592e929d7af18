// A taskwait with dependences and nowait waits for nobody.
// expect: race
// flags: -fopenmp-version=52
int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(x) depend(out : x)
    x = 1; //~ race x #1
#pragma omp taskwait depend(in : x) nowait
    y = x; //~ race x #1
  }
  return 0;
}
