// Only the list items of a scan carry a value from one iteration to the next.
// expect: race
// flags: -lm
#define N 24

int in[N], out[N], last;

int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < N; i++) {
    last = in[i]; //~ race last #1
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
  return 0;
}
