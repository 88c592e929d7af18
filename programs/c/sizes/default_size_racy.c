// In a team of four, iterations that are equal modulo four are one thread's; teams of other sizes race.
// expect: race
#define N 40
int hits[4];

int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < N; i++)
    hits[i % 4]++; //~ race hits[] #1
  return 0;
}
