// Data that one of two threads makes, once: who sees the flag goes on, the others look again under a lock. The argument has a letter for
// each part: how the flag is loaded (x relaxed, a acquire, s sequentially consistent), stored (x, r release, s) and looked at under the lock
// (p plainly, x, a), whether the data is made before the flag is set or after it (b, e), and whether the lock is a critical section (c) or one of
// the program's (l).
#include <omp.h>

int ready, data, out[2];
omp_lock_t lock;

static int load(char how) {
  switch (how) {
  case 'x':
    return __atomic_load_n(&ready, __ATOMIC_RELAXED);
  case 'a':
    return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
  case 's':
    return __atomic_load_n(&ready, __ATOMIC_SEQ_CST);
  }
  return ready;
}

static void store(char how) {
  switch (how) {
  case 'x':
    __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    break;
  case 'r':
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    break;
  case 's':
    __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    break;
  }
}

static void make(const char *how) {
  if (load(how[2]))
    return;
  if (how[3] == 'b')
    data = 42;
  store(how[1]);
  if (how[3] == 'e')
    data = 42;
}

int main(int count, char **words) {
  const char *how = words[1];
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (!load(how[0])) {
      if (how[4] == 'c') {
#pragma omp critical
        make(how);
      } else {
        omp_set_lock(&lock);
        make(how);
        omp_unset_lock(&lock);
      }
    }
    out[omp_get_thread_num()] = data;
  }
  return count != 2;
}
