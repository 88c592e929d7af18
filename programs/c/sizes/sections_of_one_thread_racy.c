// Two sections that one thread executed in this run.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    x = 1; //~ race x #1
#pragma omp section
    y = 1;
#pragma omp section
    x = 2; //~ race x #1
#pragma omp section
    ;
  }
  return 0;
}
