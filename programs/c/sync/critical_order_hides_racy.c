// Empty critical regions order nothing that the lock does not protect, though one always comes first.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      x = 1; //~ race x #1
#pragma omp critical
      y += 1;
    }
#pragma omp section
    {
#pragma omp critical
      y += 2;
      y = x; //~ race x #1 race y #2
    }
  }
  return 0;
}
