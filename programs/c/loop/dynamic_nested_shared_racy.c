// The same with a variable outside of the loop, which the chunks of two threads share.
// expect: race
// env: OMP_MAX_ACTIVE_LEVELS=2
#define N 8

int out[N][N], row[N];

int main(void) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      row[j] = i * j; //~ race row[] #1 race row[] #2
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int j = 0; j < N; j++)
      out[i][j] = row[j]; //~ race row[] #1
  }
  return 0;
}
