// The address of one element leads to the others.
// expect: race
int before = 3, after;

__attribute__((noinline)) static void spawn(int *middle) {
#pragma omp task
  middle[-1] = 1; //~ race a[] #1
}

int main(void) {
  int a[4] = {before, before, before, before};
#pragma omp parallel
#pragma omp single
#pragma omp task firstprivate(a)
  {
    spawn(&a[2]);
    a[1] += 2; //~ race a[] #1
#pragma omp taskwait
    after = a[0] + a[1];
  }
  return 0;
}
