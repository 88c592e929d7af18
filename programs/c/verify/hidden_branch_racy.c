// Both tasks write x only if the second one takes its number first: in the order of creation the code does not run.
// expect: race
// run: race-free
// executions: 1
// twin: examples/hidden_branch
int turn, x;

static int number(void) {
  int mine;
#pragma omp critical
  mine = ++turn;
  return mine;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    if (number() == 2)
      x = 1; //~ race x #1
#pragma omp task
    if (number() == 1)
      x = 2; //~ race x #1
  }
  return 0;
}
