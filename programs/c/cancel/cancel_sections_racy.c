// The other section may be past its cancellation point.
// expect: race
// env: OMP_CANCELLATION=true
int x, y;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      y = x; //~ race x #1
    }
#pragma omp section
    {
      x = 1; //~ race x #1
#pragma omp cancel sections
    }
  }
  return 0;
}
