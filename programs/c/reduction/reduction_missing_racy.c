// A sum without the clause.
// expect: race
#define N 40

int sum;

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++)
    sum += i; //~ race sum #1
  return 0;
}
