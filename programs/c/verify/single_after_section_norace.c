// A thread enters a section, then another in the single. Another thread could execute the single, before that section.
// expect: race-free observed-schedule
// run: race-free
// executions: 12
int n;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    n++;
#pragma omp single nowait
    {
#pragma omp critical
      n *= 2;
    }
  }
  return n < 0;
}
