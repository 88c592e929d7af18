// main sets it by a function that a task calls too.
// expect: race
static int limit;
int seen[4];

__attribute__((noinline)) static void set(int to) {
  limit = to; //~ race limit #1
}

int main(int argc, char **argv) {
  (void)argv;
  set(argc);
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
      seen[i] = limit; //~ race limit #1
#pragma omp task
    set(5);
  }
  return 0;
}
