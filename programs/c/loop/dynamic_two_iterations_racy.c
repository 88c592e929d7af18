// Two iterations of a dynamic loop, far apart, write one variable, whichever threads take them.
// expect: race
#define N 64

int last;
int a[N];

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++) {
    a[i] = i;
    if (i == 5 || i == 37)
      last = i; //~ race last #1
  }
  return 0;
}
