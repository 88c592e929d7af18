// Two threads may execute two singles without a barrier between them.
// expect: race
int x;

int main(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    x = 1; //~ race x #1
#pragma omp single nowait
    x = 2; //~ race x #1
  }
  return 0;
}
