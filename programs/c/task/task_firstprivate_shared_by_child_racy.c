// The copy is the task's own, until it shares it with its child.
// expect: race
int before = 3, after;

int main(void) {
  int x = before;
#pragma omp parallel
#pragma omp single
#pragma omp task firstprivate(x)
  {
#pragma omp task shared(x)
    x++; //~ race x #1
    x += 2; //~ race x #1
#pragma omp taskwait
    after = x;
  }
  return 0;
}
