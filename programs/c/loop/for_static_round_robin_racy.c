// The same with a team of three: the assumption that makes it right is gone.
// expect: race
#define N 40

int hits[4];

int main(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < N; i++)
      hits[i % 4]++; //~ race hits[] #1
  }
  return 0;
}
