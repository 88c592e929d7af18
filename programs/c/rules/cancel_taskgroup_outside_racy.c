// Cancelling the group does not order it with a task outside of it.
// expect: race
// env: OMP_CANCELLATION=true
int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1; //~ race x #1
#pragma omp taskgroup
    {
#pragma omp task
      {
        x = 2; //~ race x #1
#pragma omp cancel taskgroup
      }
    }
  }
  return 0;
}
