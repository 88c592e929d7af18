// The last write races with the increment; hidden if the increment's section goes first, as it does if the tasks run as they are
// created.
// expect: race
// run: race-free
// executions: 1
// twin: zipper/DataRaceIsolateSimple1
int s;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    s = 0;
#pragma omp task
    {
#pragma omp critical
      s = s + 1; //~ race s #1
    }
#pragma omp task
    {
#pragma omp critical
      s = 0;
      s = 0; //~ race s #1
    }
  }
  return 0;
}
