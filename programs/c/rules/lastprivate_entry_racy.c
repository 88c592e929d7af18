// The loop has no barrier at its entry: a thread may still be in the loop before.
// expect: race
#define N 12

int last, seen[N];

int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      seen[i] = last; //~ race last #1
#pragma omp for lastprivate(last) //~ race last #1
    for (int i = 0; i < N; i++)
      last = i;
  }
  return 0;
}
