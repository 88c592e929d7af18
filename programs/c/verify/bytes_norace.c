// Sections that write neighbouring bytes do not conflict: one execution.
// expect: race-free all-schedules
// run: race-free
// executions: 1
char flag[4];

int main(void) {
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int i = 0; i < 4; i++) {
#pragma omp critical
    flag[i] = 1;
  }
  return !flag[3];
}
