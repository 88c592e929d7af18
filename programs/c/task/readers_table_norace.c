// Very many tasks read a table, again and again; it is written to between, when all have been waited for.
// expect: race-free all-schedules
#define N 8

int table[N];

static int sum(int at) {
  if (at == N)
    return 0;
  int left, right;
#pragma omp task shared(left)
  left = sum(at + 1) + table[at];
  right = sum(at + 1);
#pragma omp taskwait
  return left + right;
}

int main(void) {
  int total = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5; i++) {
    total += sum(0);
    table[i] = i;
  }
  return total == 1;
}
