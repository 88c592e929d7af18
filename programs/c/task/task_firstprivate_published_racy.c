// The copy is made by the creator. Whoever gets its address from the task, by something that orders nothing, reads it unordered.
// expect: race
// threads: 2
#include <omp.h>
#include <stddef.h>

int before = 3, seen, done;
int *published;

int main(void) {
  int x = before;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
#pragma omp task firstprivate(x) //~ race x #1
      {
#pragma omp atomic write
        published = &x;
        for (int ended = 0; !ended;) {
#pragma omp taskyield
#pragma omp atomic read
          ended = done;
        }
      }
    } else {
      int *p = NULL;
      while (!p) {
#pragma omp taskyield
#pragma omp atomic read
        p = published;
      }
      seen = *p; //~ race x #1
#pragma omp atomic write
      done = 1;
    }
  }
  return 0;
}
