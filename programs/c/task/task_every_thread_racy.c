// Without single every thread creates the task.
// expect: race
int x;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp task
    x++; //~ race x #1
  }
  return 0;
}
