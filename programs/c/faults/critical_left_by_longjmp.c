// A thread leaves a critical section by longjmp, and ends.
// expect: deadlock
#include <omp.h>
#include <setjmp.h>

jmp_buf out;
int x;

__attribute__((noinline)) static void add(int thread) {
#pragma omp critical
  {
    x++;
    if (thread == 0)
      longjmp(out, 1);
  }
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int thread = omp_get_thread_num();
    if (thread != 0 || setjmp(out) == 0)
      add(thread);
  }
  return 0;
}
