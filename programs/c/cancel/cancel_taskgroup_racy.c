// The group is cancelled after two of its tasks have met.
// expect: race
// env: OMP_CANCELLATION=true
int winner, copy, one, two;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task depend(out : one)
      copy = winner; //~ race winner #1
#pragma omp task depend(out : two)
      winner = 1; //~ race winner #1
#pragma omp task depend(in : one, two)
      {
#pragma omp cancel taskgroup
      }
    }
  }
  return 0;
}
