// The end of the inner region joins the threads of one team, not those of the next.
// expect: race
#define N 12

int a[N], b[N];

int main(void) {
#pragma omp teams
  {
#pragma omp distribute parallel for dist_schedule(static)
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
#pragma omp distribute parallel for dist_schedule(static)
    for (int i = 1; i < N; i++)
      b[i] = a[i - 1]; //~ race a[] #1
  }
  return 0;
}
