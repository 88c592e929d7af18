// The environment chooses the schedule: one that deals out single iterations gives a half to several threads.
// expect: race
#define N 32

int halves[2];

int main(void) {
#pragma omp parallel for schedule(runtime) num_threads(2)
  for (int i = 0; i < N; i++)
    halves[i / (N / 2)] += i; //~ race halves[] #1
  return 0;
}
