// Static schedules with different chunks do not give a thread the same iterations.
// expect: race
#define N 40

int a[N], b[N];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
#pragma omp for schedule(static, 2)
    for (int i = 0; i < N; i++)
      b[i] = a[i]; //~ race a[] #1
  }
  return 0;
}
