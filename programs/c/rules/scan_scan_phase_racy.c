// The scan phases of two iterations are unordered.
// expect: race
// flags: -lm
#define N 24

int in[N], out[N + 1];

int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < N; i++) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;     //~ race out[] #1
    out[i + 1] = sum; //~ race out[] #1
  }
  return 0;
}
