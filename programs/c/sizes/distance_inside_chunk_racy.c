// A dependence that stays inside of one chunk for teams of 2, 3 and 8 threads crosses chunks in larger ones.
// expect: race
#define N 100
int a[N];

int main(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N - 1; i += 1)
    if (i == 10)
      a[i + 1] = 1; //~ race a[] #1
    else if (i == 11)
      a[i] = 2; //~ race a[] #1
  return 0;
}
