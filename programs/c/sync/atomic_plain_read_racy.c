// The updates are atomic, the read is not.
// expect: race
int counter, copy;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp atomic
      counter++; //~ race counter #1
    }
#pragma omp section
    copy = counter; //~ race counter #1
  }
  return 0;
}
