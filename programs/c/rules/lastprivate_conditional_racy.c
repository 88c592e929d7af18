// The same without the clause: every iteration that assigns writes the one variable.
// expect: race
#define N 12

int a[N], found = -1;

int main(void) {
  a[3] = a[7] = 1;
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (a[i])
      found = i; //~ race found #1
  return 0;
}
