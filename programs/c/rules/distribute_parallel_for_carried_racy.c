// Neighbouring iterations may belong to two threads or two teams.
// expect: race
#define N 12

int a[N];

int main(void) {
#pragma omp teams distribute parallel for dist_schedule(static, 6) schedule(static)
  for (int i = 1; i < N; i++)
    a[i] = a[i - 1] + 1; //~ race a[] #1
  return 0;
}
