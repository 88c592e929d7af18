// Prints the stacks of code inside OpenMP constructs, for the test of symbolisation.
#include <cstdio>
#include <execinfo.h>

__attribute__((noinline)) static void here(const char *where) {
  void *pcs[64];
  int n = backtrace(pcs, 64);
  std::printf("stack");
  for (int i = 1; i < n; i++) std::printf(" %p", pcs[i]);
  std::printf(" %s\n", where);
}

namespace n {
__attribute__((noinline)) void work(int k) {
#pragma omp parallel num_threads(1)
  {
    here("parallel"); // in parallel
#pragma omp single
    {
#pragma omp task firstprivate(k)
      here(k ? "task" : "?"); // in task
#pragma omp taskwait
    }
  }
}
}

int main() {
  n::work(1); // call
  here("main"); // in main
  std::printf("maps\n");
  std::FILE *maps = std::fopen("/proc/self/maps", "r");
  for (int c; maps && (c = std::fgetc(maps)) != EOF;) std::putchar(c);
}
