// A flush makes memory consistent for its thread; it orders nothing by itself.
// expect: race
int data, copy;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 42; //~ race data #1
#pragma omp flush
    }
#pragma omp section
    {
#pragma omp flush
      copy = data; //~ race data #1
    }
  }
  return 0;
}
