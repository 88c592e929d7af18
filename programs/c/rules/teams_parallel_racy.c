// The parallel regions of two teams are parallel to each other.
// expect: race
#define N 6

int a[N];

int main(void) {
#pragma omp teams
  {
#pragma omp parallel for
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
  }
  return 0;
}
