// Locks that a growing vector moves, as every runtime lets them be.
// expect: race-free observed-schedule
#include <cassert>
#include <omp.h>
#include <vector>

int counts[8];

int main() {
  std::vector<omp_lock_t> locks;
  for (int i = 0; i < 8; i++) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    locks.push_back(lock);
  }
#pragma omp parallel
  for (int i = 0; i < 8; i++) {
    omp_set_lock(&locks[i]);
    counts[i]++;
    omp_unset_lock(&locks[i]);
  }
  for (int i = 0; i < 8; i++) {
    assert(counts[i] == 4);
    omp_destroy_lock(&locks[i]);
  }
  return 0;
}
