// A task's plain write and the section of its creator: happens-before hides it if the creator's section goes first.
// expect: race
// run: race
// executions: 1
// twin: zipper/DataRaceIsolateSimple
int g, n;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    g = 0;
#pragma omp task
    {
#pragma omp critical
      n = 1;
      g = 2; //~ race g #1
    }
#pragma omp critical
    g = 1; //~ race g #1
  }
  return 0;
}
