// Members of an inoutset may run at the same time.
// expect: race
int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; i++) {
#pragma omp task depend(inoutset : x)
    x += 1; //~ race x #1
  }
  return 0;
}
