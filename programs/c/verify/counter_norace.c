// Three sections that all conflict: six orders.
// expect: race-free all-schedules
// run: race-free
// executions: 6
// twin: zipper/IsolatedBlockNo
int j;

int main(void) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int i = 0; i < 3; i++) {
#pragma omp critical
    j = j + i;
  }
  return j != 3;
}
