// No barrier stands between the end of a distributed loop and what the teams do next.
// expect: race
#define N 12

int last, seen[2];

int main(void) {
#pragma omp teams num_teams(2)
  {
#pragma omp distribute lastprivate(last) //~ race last #1
    for (int i = 0; i < N; i++)
      last = i;
    if (last > 99) //~ race last #1
      seen[0] = 1;
  }
  return 0;
}
