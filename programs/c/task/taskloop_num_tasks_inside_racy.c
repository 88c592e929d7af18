// Two tasks may divide the iterations anywhere.
// expect: race
#define N 100

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(2)
  for (int i = 0; i < N; i++)
    if (i == 3)
      x = 1; //~ race x #1
    else if (i == 4)
      x = 2; //~ race x #1
  return 0;
}
