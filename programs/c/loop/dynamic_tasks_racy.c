// The tasks of one chunk are not waited for by the next.
// expect: race
#define N 20

int x;

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++) {
    if (i == 2) {
#pragma omp task
      x = 1; //~ race x #1
    }
    if (i == 11)
      x = 2; //~ race x #1
  }
  return 0;
}
