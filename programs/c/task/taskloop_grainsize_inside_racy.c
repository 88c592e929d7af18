// Tasks of at least ten iterations may have up to nineteen: any two are in different tasks in some cut, but for the first
// ten and the last ten.
// expect: race
#define N 100

int x, y, z;

int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(10)
  for (int i = 0; i < N; i++) {
    if (i == 24)
      x = 1; //~ race x #1
    if (i == 26)
      x = 2; //~ race x #1
    if (i == 0 || i == 9)
      y++;
    if (i == N - 10 || i == N - 1)
      z++;
  }
  return 0;
}
