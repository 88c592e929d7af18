// A reduction is no order of its own: one execution.
// expect: race-free all-schedules
// run: race-free
// executions: 1
int main(void) {
  int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
  for (int i = 1; i <= 8; i++)
    sum += i;
  return sum != 36;
}
