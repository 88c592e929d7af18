// Who is cancelled at a cancellation point may have passed it before: it reads beside the writer.
// expect: race
// env: OMP_CANCELLATION=true
#define N 12

int found, seen[N];

int main(void) {
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < N; i++) {
#pragma omp cancellation point for
    seen[i] = found; //~ race found #1
    if (i == N - 1) {
      found = 1; //~ race found #1
#pragma omp cancel for
    }
  }
  return 0;
}
