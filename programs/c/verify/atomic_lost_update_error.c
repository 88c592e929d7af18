// An update made of an atomic read and an atomic write.
// expect: program-error
// run: race-free
// executions: 4
// message: exit status 1
int n;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int now;
#pragma omp atomic read
    now = n;
#pragma omp atomic write
    n = now + 1;
  }
  return n != 2;
}
