// Sections in front of ordered regions, in every order; the regions themselves have one.
// expect: race-free all-schedules
// run: race-free
// executions: 6
int came, list[3], at;

int main(void) {
#pragma omp parallel for num_threads(3) schedule(static, 1) ordered
  for (int i = 0; i < 3; i++) {
#pragma omp critical
    came++;
#pragma omp ordered
    list[at++] = i;
  }
  return list[0] != 0 || list[1] != 1 || list[2] != 2;
}
