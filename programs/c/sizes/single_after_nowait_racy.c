// The thread that executes the single waits for its own iterations only, and any thread may execute it.
// expect: race
#define N 8
int a[N], sum;

int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
#pragma omp single
    sum = a[0]; //~ race a[] #1
  }
  return sum;
}
