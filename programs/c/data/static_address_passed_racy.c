// By its name only main writes it. It also gives its address away, and a task writes there.
// expect: race
static int limit;
int *place, seen[4];

__attribute__((noinline)) static void keep(int *at) {
  place = at;
}

int main(int argc, char **argv) {
  (void)argv;
  limit = argc;
  keep(&limit);
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
      seen[i] = limit; //~ race limit #1
#pragma omp task
    *place = 5; //~ race limit #1
  }
  return 0;
}
