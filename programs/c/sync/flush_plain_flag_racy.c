// The old handshake with a plain flag: the flag is read and written at the same time.
// expect: race
volatile int flag;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp flush
      flag = 1; //~ race flag #1
#pragma omp flush
    }
#pragma omp section
    {
      for (;;) {
#pragma omp flush
        if (flag) //~ race flag #1
          break;
      }
    }
  }
  return 0;
}
