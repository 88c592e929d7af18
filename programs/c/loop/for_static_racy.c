// The last iteration of a thread's block reads what the first of the next writes.
// expect: race
#define N 40

int a[N + 1];

int main(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N; i++)
    a[i] = a[i + 1] + 1; //~ race a[] #1
  return 0;
}
