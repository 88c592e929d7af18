// A task writes to address zero.
// expect: program-error
// message: segmentation fault
int *volatile nowhere;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    *nowhere = 1;
  }
  return 0;
}
