// A relaxed flag is itself no race, but orders nothing.
// expect: race
int data, flag, copy;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 42; //~ race data #1
#pragma omp atomic write relaxed
      flag = 1;
    }
#pragma omp section
    {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read relaxed
        seen = flag;
      }
      copy = data; //~ race data #1
    }
  }
  return 0;
}
