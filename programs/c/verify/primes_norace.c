// Tasks count primes; only those that find one enter a section.
// expect: race-free all-schedules
// run: race-free
// executions: 6
// twin: zipper/PrimeNumCounter
int count;

static int is_prime(int n) {
  for (int d = 2; d < n; d++)
    if (n % d == 0)
      return 0;
  return 1;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int k = 2; k < 7; k++) {
#pragma omp task
    if (is_prime(k)) {
#pragma omp critical
      count = count + 1;
    }
  }
  return count != 3;
}
