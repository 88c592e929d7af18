// The sections are disjoint, the loops behind them are not.
// expect: race
int a[12];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int block = 0; block < 8; block += 4) {
#pragma omp task depend(inout : a[block : 4])
    for (int i = block; i <= block + 4; i++)
      a[i] += 1; //~ race a[] #1
  }
  return 0;
}
