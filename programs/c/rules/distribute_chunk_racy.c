// The first iteration of a chunk reads what the last one of the chunk before it writes.
// expect: race
#define N 12

int a[N];

int main(void) {
#pragma omp teams distribute dist_schedule(static, 4)
  for (int i = 1; i < N; i++)
    a[i] = a[i - 1] + 1; //~ race a[] #1
  return 0;
}
