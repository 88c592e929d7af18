// All iterations of a loop construct write one variable.
// expect: race
#define N 40

int last;

int main(void) {
#pragma omp parallel
  {
#pragma omp loop
    for (int i = 0; i < N; i++)
      last = i; //~ race last #1
  }
  return 0;
}
