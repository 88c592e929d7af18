// main sets it, and one task changes it while others read it.
// expect: race
static int limit;
int seen[4];

int main(int argc, char **argv) {
  (void)argv;
  limit = argc;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
      seen[i] = limit; //~ race limit #1
#pragma omp task
    limit = 5; //~ race limit #1
  }
  return 0;
}
