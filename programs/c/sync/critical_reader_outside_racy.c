// The writer is in the critical region, the reader is not.
// expect: race
int total, copy;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      total = 1; //~ race total #1
    }
#pragma omp section
    copy = total; //~ race total #1
  }
  return 0;
}
