// The function returns and its caller uses the same stack while the task still writes to it.
// expect: race
// flags: -O0
int got;

__attribute__((noinline)) static void leave(void) {
  int local = 0;
#pragma omp task shared(local)
  local = 1; //~ race local #1
  got = local; //~ race local #1
}

int main(void) {
#pragma omp parallel num_threads(1)
  leave();
  return 0;
}
