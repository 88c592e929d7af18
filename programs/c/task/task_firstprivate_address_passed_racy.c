// A function is given the address of the task's copy, and creates a task that writes it.
// expect: race
int before = 3, after;

__attribute__((noinline)) static void spawn(int *p) {
#pragma omp task
  *p = 1; //~ race x #1
}

int main(void) {
  int x = before;
#pragma omp parallel
#pragma omp single
#pragma omp task firstprivate(x)
  {
    spawn(&x);
    x += 2; //~ race x #1
#pragma omp taskwait
    after = x;
  }
  return 0;
}
