// The reader looks at the data only if the flag is up.
// expect: race-free all-schedules
// run: race-free
// executions: 2
// twin: examples/message_flag
#include <assert.h>
int data, flag;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 5;
#pragma omp critical
      flag = 1;
    }
#pragma omp section
    {
      int up;
#pragma omp critical
      up = flag;
      if (up)
        assert(data == 5);
    }
  }
  return 0;
}
