// Of two teams, iterations at distance 2 have the same one; of three they have not.
// expect: race
#define N 12
int a[N];

int main(void) {
#pragma omp teams distribute dist_schedule(static, 1)
  for (int i = 2; i < N; i++)
    a[i] = //~ race a[] #1
        a[i - 2] + 1; //~ race a[] #1
  return 0;
}
