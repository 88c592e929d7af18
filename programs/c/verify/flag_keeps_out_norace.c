// The flag keeps the task from writing x once its creator has passed its own section.
// Source: Zipper, Figure 2.
// expect: race-free all-schedules
// run: race-free
// executions: 2
// twin: examples/zipper_fig2
int x, y, a;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
#pragma omp critical
      if (!a)
        x = 1;
    }
#pragma omp critical
    a = 1;
    y = x;
  }
  return 0;
}
