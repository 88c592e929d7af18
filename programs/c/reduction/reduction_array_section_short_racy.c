// The section leaves out the last element, which stays shared.
// expect: race
#define N 40

int last;

int main(void) {
  int histogram[8] = {0};
#pragma omp parallel for reduction(+ : histogram[0 : 7]) schedule(static, 3) shared(last)
  for (int i = 0; i < N; i++) {
    if (i % 8 < 7)
      histogram[i % 8]++;
    else
      last++; //~ race last #1
  }
  return histogram[0] - N / 8;
}
