// Critical sections of two names inside each other, either way round.
// expect: deadlock
// run: race-free
// executions: 3
int n;

static void inner_one(void) {
#pragma omp critical(one)
  n++;
}

static void inner_two(void) {
#pragma omp critical(two)
  n++;
}

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical(one)
      inner_two();
    }
#pragma omp section
    {
#pragma omp critical(two)
      inner_one();
    }
  }
  return 0;
}
