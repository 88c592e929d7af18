// The last value is kept by every iteration of every thread of every team.
// expect: race
#define N 24

int last;

int main(void) {
#pragma omp teams distribute parallel for num_teams(2) num_threads(2)
  for (int i = 0; i < N; i++)
    last = i; //~ race last #1
  return 0;
}
