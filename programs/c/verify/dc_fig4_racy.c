// The third writes x only if the second one's section came before its own; the race with the first one's plain write shows in one
// order of the three sections only.
// Source: Ogles, Aldous, Mercer, Figure 4.
// expect: race
// run: race-free
// executions: 3
// twin: examples/dc_fig4
int x, y;

int main(void) {
#pragma omp parallel sections num_threads(3)
  {
#pragma omp section
    {
      x = 1; //~ race x #1
#pragma omp critical
      x = 2;
    }
#pragma omp section
    {
#pragma omp critical
      y = 1;
    }
#pragma omp section
    {
#pragma omp critical
      if (y)
        x = 3; //~ race x #1
    }
  }
  return 0;
}
