// A task of at least five iterations; a counter is shared by them all.
// expect: race
#define N 30

int count;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(5)
    for (int i = 0; i < N; i++)
      count++; //~ race count #1
  }
  return 0;
}
