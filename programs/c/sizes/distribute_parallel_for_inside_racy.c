// A dependence inside of what one thread of one team executes is one between two threads of other teams.
// expect: race
#define N 100
int a[N];

int main(void) {
#pragma omp teams distribute parallel for
  for (int i = 0; i < N; i++)
    if (i == 6)
      a[i] = 1; //~ race a[] #1
    else if (i == 7)
      a[i - 1] = 2; //~ race a[] #1
  return 0;
}
