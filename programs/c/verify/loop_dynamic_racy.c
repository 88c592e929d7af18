// Iterations add to a sum under a lock; the one that finds it empty also clears the log, to which all add.
// expect: race
// run: race-free
// executions: 2
int sum, last;

__attribute__((noinline)) static void note(int i) {
  last = i; //~ race last #1
}

int main(void) {
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
  for (int i = 1; i <= 2; i++) {
    int before;
#pragma omp critical
    {
      before = sum;
      sum += i;
    }
    if (before == 0 && i == 2)
      last = 0; //~ race last #1
    if (i == 1)
      note(i);
  }
  return 0;
}
