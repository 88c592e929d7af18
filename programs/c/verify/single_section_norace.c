// No thread enters a section in the single and another one outside of it: its order with others is no matter of who executes it.
// expect: race-free all-schedules
// run: race-free
// executions: 2
int n;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    {
#pragma omp critical
      n++;
    }
#pragma omp single nowait
    {
#pragma omp critical
      n *= 2;
    }
  }
  return n < 0;
}
