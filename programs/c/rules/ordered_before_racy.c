// What an iteration does before its ordered region does not come after other ordered regions.
// expect: race
#define N 12

int next, seen[N];

int main(void) {
#pragma omp parallel for ordered
  for (int i = 0; i < N; i++) {
    seen[i] = next; //~ race next #1
#pragma omp ordered
    next = i; //~ race next #1
  }
  return 0;
}
