// After the loop a team reads an element that may be another team's.
// expect: race
#define N 12

int a[N], seen[N];

int main(void) {
#pragma omp teams num_teams(2)
  {
#pragma omp distribute parallel for
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
    if (a[N - 1] > 99) //~ race a[] #1
      seen[0] = 1;
  }
  return 0;
}
