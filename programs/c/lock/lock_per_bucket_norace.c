// One lock for each bucket of a table.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>
#define BUCKETS 4

int size[BUCKETS];
omp_lock_t lock[BUCKETS];

int main(void) {
  for (int b = 0; b < BUCKETS; b++)
    omp_init_lock(&lock[b]);
#pragma omp parallel for schedule(dynamic)
  for (int key = 0; key < 24; key++) {
    int b = (key * 5) % BUCKETS;
    omp_set_lock(&lock[b]);
    size[b]++;
    omp_unset_lock(&lock[b]);
  }
  for (int b = 0; b < BUCKETS; b++) {
    omp_destroy_lock(&lock[b]);
    assert(size[b] == 24 / BUCKETS);
  }
  return 0;
}
