// The loop has no barrier at its entry: a thread that is late reads what the last iteration's thread assigns.
// expect: race
#define N 12

int last, seen;

int main(void) {
#pragma omp parallel
  {
#pragma omp master
    seen = last; //~ race last #1
#pragma omp for lastprivate(last) nowait //~ race last #1
    for (int i = 0; i < N; i++)
      last = i;
  }
  return seen > N;
}
