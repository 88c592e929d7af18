// Two singles of one thread in the first assignment: in another one the second may come before the first.
// expect: race
// run: race-free
// executions: 3
// threads: 2
int ready, data;

int main(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    {
      data = 1; //~ race data #1
#pragma omp critical
      ready = 1;
    }
#pragma omp single nowait
    {
    }
#pragma omp single nowait
    {
      int seen;
#pragma omp critical
      seen = ready;
      if (!seen)
        data = 2; //~ race data #1
    }
  }
  return 0;
}
