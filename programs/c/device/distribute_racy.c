// Chunks of one: the neighbour belongs to another team.
// expect: race
#define N 24

int a[N], b[N];

int main(void) {
#pragma omp teams distribute num_teams(2) dist_schedule(static, 1)
  for (int i = 1; i < N; i++) {
    a[i] = i;        //~ race a[] #1
    b[i] = a[i - 1]; //~ race a[] #1
  }
  return 0;
}
