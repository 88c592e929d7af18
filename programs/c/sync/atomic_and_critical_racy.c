// An atomic construct does not exclude a critical region.
// expect: race
int counter, half;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp atomic
      counter += 2; //~ race counter #1
    }
#pragma omp section
    {
#pragma omp critical
      half = counter / 2; //~ race counter #1
    }
  }
  return 0;
}
