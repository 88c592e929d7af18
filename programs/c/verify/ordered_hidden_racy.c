// Ordered regions keep their order whatever the sections do; who is first in a section decides what is done behind them.
// expect: race
// run: race-free
// executions: 5
int came, list[3], at, x;

int main(void) {
#pragma omp parallel for num_threads(3) schedule(static, 1) ordered
  for (int i = 0; i < 3; i++) {
    int mine;
#pragma omp critical
    mine = came++;
#pragma omp ordered
    list[at++] = i;
    if (i == 0)
      x = 1; //~ race x #1
    else if (i == 2 && mine == 0)
      x = 2; //~ race x #1
  }
  return list[2] != 2;
}
