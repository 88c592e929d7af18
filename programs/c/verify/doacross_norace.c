// An iteration waits for the one before it; sections behind the wait have its order.
// expect: race-free all-schedules
// run: race-free
// executions: 1
int sum[4], last;

int main(void) {
#pragma omp parallel for num_threads(2) schedule(static, 1) ordered(1)
  for (int i = 1; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
    sum[i] = sum[i - 1] + i;
#pragma omp critical
    last = i;
#pragma omp ordered depend(source)
  }
  return sum[3] != 6 || last != 3;
}
