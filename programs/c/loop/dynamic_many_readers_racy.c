// Every iteration reads what one in the middle, and the code after the loop, writes.
// expect: race
#define N 300

int x, a[N];

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < N; i++) {
      a[i] = x; //~ race x #1 #2
      if (i == 150)
        x = i; //~ race x #1 race? x #3
    }
#pragma omp master
    x = 0; //~ race x #2 race? x #3
  }
  return 0;
}
