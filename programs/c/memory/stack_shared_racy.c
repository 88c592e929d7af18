// A task writes a local of its parent, which reads it before the wait.
// expect: race
int got;

__attribute__((noinline)) static void put(int *where) {
  *where = 1; //~ race local #1
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    int local = 0;
#pragma omp task shared(local)
    put(&local);
    got = local; //~ race local #1
#pragma omp taskwait
  }
  return 0;
}
