// Two threads write x in sections; the second writes it again outside. With the first thread's section first, that hides it.
// Source: Ogles, Aldous, Mercer, Figure 1.
// expect: race
// run: race-free
// executions: 2
// twin: examples/dc_fig1
int x;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      x = 1; //~ race x #1
    }
#pragma omp section
    {
#pragma omp critical
      x = 2;
      x = 3; //~ race x #1
    }
  }
  return 0;
}
