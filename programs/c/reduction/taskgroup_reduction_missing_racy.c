// The group declares the reduction; one of the tasks does not take part.
// expect: race
int sum, copy;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp task shared(sum)
      sum = 1; //~ race sum #1
#pragma omp task shared(sum)
      copy = sum; //~ race sum #1
    }
  }
  return 0;
}
