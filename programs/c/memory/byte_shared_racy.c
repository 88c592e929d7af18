// The same byte, written by two tasks.
// expect: race
char bytes[8], copy;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    bytes[3] = 1; //~ race bytes[] #1
#pragma omp task
    copy = bytes[3]; //~ race bytes[] #1
  }
  return 0;
}
