// Without a group nobody waits for the task that assigns the variable.
// expect: race
#define N 12

int last, seen;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop lastprivate(last) nogroup //~ race last #1
    for (int i = 0; i < N; i++)
      last = i;
    seen = last; //~ race last #1
  }
  return 0;
}
