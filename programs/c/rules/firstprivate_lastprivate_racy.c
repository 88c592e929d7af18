// An iteration reads the original variable by its address, to which another thread assigns the last value.
// expect: race
#define N 12

int last = 5, seen;

int main(void) {
  int *original = &last;
#pragma omp parallel
#pragma omp for firstprivate(last) lastprivate(last) //~ race last #1
  for (int i = 0; i < N; i++) {
    last = i;
    if (i == 0)
      seen = *original; //~ race last #1
  }
  return seen > N;
}
