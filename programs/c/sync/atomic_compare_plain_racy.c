// A conditional update is atomic, the read beside it is not.
// expect: race
int largest, copy;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      int candidate = 7;
#pragma omp atomic compare
      if (largest < candidate) { //~ race largest #1
        largest = candidate;
      }
    }
#pragma omp section
    copy = largest; //~ race largest #1
  }
  return 0;
}
