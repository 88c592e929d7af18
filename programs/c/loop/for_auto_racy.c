// The implementation chooses the schedule, so no two iterations may be assumed to share a thread.
// expect: race
#define N 40

int last;

int main(void) {
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < N; i++)
    last = i; //~ race last #1
  return 0;
}
