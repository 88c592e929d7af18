// A flag that is looked at once: the reader goes on whether it is up or not, but only reads if it is down.
// expect: race
// run: race-free
// executions: 2
int data, flag, seen;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 5; //~ race data #1
#pragma omp atomic write seq_cst
      flag = 1;
    }
#pragma omp section
    {
      int up;
#pragma omp atomic read seq_cst
      up = flag;
      if (!up)
        seen = data; //~ race data #1
    }
  }
  return seen > 5;
}
