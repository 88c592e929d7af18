// Tasks of a task loop keep the maximum; the one whose offer comes when nothing was offered before also notes who it was.
// expect: race
// run: race-free
// executions: 1
int best, who;

__attribute__((noinline)) static void late(void) {
  who = 0; //~ race who #1
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop num_tasks(3)
    for (int i = 0; i < 3; i++) {
      int first;
#pragma omp critical
      {
        first = best == 0;
        if (3 - i > best)
          best = 3 - i;
      }
      if (first && i > 0)
        who = i; //~ race who #1
      if (i == 0)
        late();
    }
  }
  return 0;
}
