// Locks that are moved, by a vector that grows and by hand, out of memory that is freed, and into such; and locks in memory that was that of others.
// expect: race-free
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <vector>

int x;

static void use(omp_lock_t *lock) {
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(lock);
    x++;
    omp_unset_lock(lock);
  }
}

int main() {
  std::vector<omp_lock_t> locks;
  for (int i = 0; i < 40; i++) {
    locks.emplace_back();
    omp_init_lock(&locks.back());
    use(&locks[i / 2]);
  }
  for (auto &lock : locks)
    omp_destroy_lock(&lock);
  // Never destroyed, and another at the same address.
  for (int i = 0; i < 3; i++) {
    auto *lock = static_cast<omp_lock_t *>(std::malloc(sizeof(omp_lock_t)));
    omp_init_lock(lock);
    use(lock);
    std::free(lock);
  }
  // Away, and back to memory that was freed since.
  auto *first = static_cast<omp_lock_t *>(std::malloc(4096));
  omp_lock_t kept;
  omp_init_lock(first);
  std::memcpy(&kept, first, sizeof kept);
  std::free(first);
  use(&kept);
  auto *second = static_cast<omp_lock_t *>(std::malloc(4096));
  std::memcpy(second, &kept, sizeof kept);
  use(second);
  omp_destroy_lock(second);
  std::free(second);
  return 0;
}
