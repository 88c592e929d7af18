// One section reads what another writes.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel sections
  {
#pragma omp section
    x = 1; //~ race x #1
#pragma omp section
    y = x; //~ race x #1
  }
  return 0;
}
