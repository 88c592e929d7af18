// Three tasks, one temporary.
// expect: race
#define N 30

int temporary, a[N];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop num_tasks(3) shared(temporary)
    for (int i = 0; i < N; i++)
      temporary = i; //~ race temporary #1
  }
  return 0;
}
