// What a thread has looked at before it waits by looking is unmapped by then.
// expect: race-free all-schedules
// run: race-free
// executions: 2
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_int ready;

static void *set(void *unused) {
  atomic_store(&ready, 1);
  return unused;
}

int main(void) {
  atomic_int *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int before = atomic_load(page);
  pthread_t setter;
  pthread_create(&setter, 0, set, 0);
  munmap(page, 4096);
  while (!atomic_load(&ready))
    ;
  pthread_join(setter, 0);
  return before;
}
