// After the loop's barrier a single may read the value of the last iteration that assigned one.
// expect: race-free
#include <cassert>
#define N 12

int a[N], found = -1, seen;

int main() {
  a[3] = a[7] = 1;
#pragma omp parallel
  {
#pragma omp for lastprivate(conditional : found) schedule(dynamic)
    for (int i = 0; i < N; i++)
      if (a[i])
        found = i;
#pragma omp single
    seen = found;
  }
  assert(seen == 7);
  return 0;
}
