// A distributed loop has no barrier at its end: the neighbour may belong to another team.
// expect: race
#define N 12

int a[N], b[N];

int main(void) {
#pragma omp teams
  {
#pragma omp distribute dist_schedule(static)
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
#pragma omp distribute dist_schedule(static)
    for (int i = 0; i < N; i++)
      b[i] = a[N - 1 - i]; //~ race a[] #1
  }
  return 0;
}
