// Two tasks of the group may both be running when it is cancelled.
// expect: race
// env: OMP_CANCELLATION=true
int winner, copy;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      copy = winner; //~ race winner #1
#pragma omp task
      {
        winner = 1; //~ race winner #1
#pragma omp cancel taskgroup
      }
    }
  }
  return 0;
}
