// Chunks of three do not fit groups of four.
// expect: race
#define N 40

int group[N / 4];

int main(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < N; i++)
    group[i / 4] += i; //~ race group[] #1
  return 0;
}
