// A critical construct without a name does not exclude one with a name.
// expect: race
int total, copy;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
#pragma omp critical
    total = 1; //~ race total #1
#pragma omp section
#pragma omp critical(report)
    copy = total; //~ race total #1
  }
  return 0;
}
