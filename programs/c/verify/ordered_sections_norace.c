// Sections inside of ordered regions have the order of these: one execution.
// expect: race-free all-schedules
// run: race-free
// executions: 1
int came[3], at;

int main(void) {
#pragma omp parallel for num_threads(3) schedule(static, 1) ordered
  for (int i = 0; i < 3; i++) {
#pragma omp ordered
    {
#pragma omp critical
      came[i] = at++;
    }
  }
  return came[0] != 0 || came[1] != 1 || came[2] != 2;
}
