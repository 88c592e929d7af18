// Sections that only read need no reordering: one execution.
// expect: race-free all-schedules
// run: race-free
// executions: 1
int x = 1, seen[4];

int main(void) {
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int i = 0; i < 4; i++) {
#pragma omp critical
    seen[i] = x;
  }
  return seen[3] != 1;
}
