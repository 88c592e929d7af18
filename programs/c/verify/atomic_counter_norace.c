// Atomic updates whose results are used: in every order each number is taken once.
// expect: race-free all-schedules
// run: race-free
// executions: 6
int n, taken[3];

int main(void) {
#pragma omp parallel num_threads(3)
  {
    int mine;
#pragma omp atomic capture
    mine = n++;
    taken[mine]++;
  }
  return taken[0] != 1 || taken[1] != 1 || taken[2] != 1;
}
