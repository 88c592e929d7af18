// The thread of the last iteration assigns the original variable while others still read it.
// expect: race
#define N 12

int last, seen[N];

int main(void) {
  int *original = &last;
#pragma omp parallel
#pragma omp for lastprivate(last) //~ race last #1
  for (int i = 0; i < N; i++) {
    last = i;
    seen[i] = *original; //~ race last #1
  }
  return 0;
}
