// Data handed over by a flag; the reader does not care for it. If the flag is up, the order of the sections hides the race.
// expect: race
// run: race-free
// executions: 2
// twin: examples/message_flag_racy
int data, flag, seen;

int main(void) {
  int up = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 5; //~ race data #1
#pragma omp critical
      flag = 1;
    }
#pragma omp section
    {
#pragma omp critical
      up = flag;
      seen = data; //~ race data #1
    }
  }
  return up + seen > 6;
}
