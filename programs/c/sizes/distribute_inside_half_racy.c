// A dependence inside of what each of two teams executes is one between two teams of a larger league.
// expect: race
#define N 40
int a[N];

int main(void) {
#pragma omp teams distribute dist_schedule(static)
  for (int i = 0; i < N; i++)
    if (i == 4)
      a[i] = 1; //~ race a[] #1
    else if (i == 8)
      a[i - 4] = 2; //~ race a[] #1
  return 0;
}
