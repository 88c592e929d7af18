// Untied tasks are as unordered as tied ones.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task untied
    {
#pragma omp taskyield
      x = 1; //~ race x #1
    }
#pragma omp task untied
    y = x; //~ race x #1
  }
  return 0;
}
