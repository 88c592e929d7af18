// Runs the threads that its argument describes, separated by `/`, with `main` as the first: r0 and w0 access a variable, l0 and u0 are of a
// mutex, t0{…} tries one and is done under it, R0, W0 and U0 are of a reader-writer lock, p0 and v0 of a semaphore (P and V), b waits at a barrier of
// two, c0 waits once at a condition variable, s0 and a0 notify one or all of its waiters, z0 raises a flag and Z0 spins until it is up, q0 waits for a
// semaphore with a limit on the time, k0 and K0 are of a recursive mutex. `main` creates the others first and joins them last.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define UNCHECKED __attribute__((no_sanitize("thread")))

int x0, x1, x2;
pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_rwlock_t lock[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_mutex_t around = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t barrier;
sem_t semaphore[2];
pthread_mutex_t recursive[2];
atomic_int flag0, flag1;

// Each variable has places of its own in the program.
#define ACCESSES(n)                                                                                                                                            \
  __attribute__((noinline)) static int get##n(void) { return x##n; }                                                                                           \
  __attribute__((noinline)) static void set##n(void) { x##n = 1; }
ACCESSES(0)
ACCESSES(1)
ACCESSES(2)
#define FLAG(n, pause)                                                                                                                                         \
  __attribute__((noinline)) static void raise##n(void) { atomic_store(&flag##n, 1); }                                                                          \
  __attribute__((noinline)) static void spin##n(void) {                                                                                                        \
    while (!atomic_load(&flag##n))                                                                                                                             \
      pause;                                                                                                                                                   \
  }
FLAG(0, )
FLAG(1, sched_yield())
static void (*const raise_flag[])(void) = {raise0, raise1};
static void (*const spin[])(void) = {spin0, spin1};

static int (*const get[])(void) = {get0, get1, get2};
static void (*const set[])(void) = {set0, set1, set2};

UNCHECKED static const char *run(const char *at) {
  while (*at && *at != '/' && *at != '}') {
    char what = *at++;
    int n = *at >= '0' && *at <= '9' ? *at++ - '0' : 0;
    switch (what) {
    case 'r':
      get[n]();
      break;
    case 'w':
      set[n]();
      break;
    case 'l':
      pthread_mutex_lock(&mutex[n]);
      break;
    case 'u':
      pthread_mutex_unlock(&mutex[n]);
      break;
    case 't':
      if (pthread_mutex_trylock(&mutex[n]) == 0) {
        at = run(at + 1) + 1;
        pthread_mutex_unlock(&mutex[n]);
      } else {
        at = strchr(at, '}') + 1;
      }
      break;
    case 'R':
      pthread_rwlock_rdlock(&lock[n]);
      break;
    case 'W':
      pthread_rwlock_wrlock(&lock[n]);
      break;
    case 'U':
      pthread_rwlock_unlock(&lock[n]);
      break;
    case 'p':
      sem_wait(&semaphore[n]);
      break;
    case 'v':
      sem_post(&semaphore[n]);
      break;
    case 'q': {
      struct timespec limit;
      clock_gettime(CLOCK_REALTIME, &limit);
      sem_timedwait(&semaphore[n], &limit);
      break;
    }
    case 'k':
      pthread_mutex_lock(&recursive[n]);
      break;
    case 'K':
      pthread_mutex_unlock(&recursive[n]);
      break;
    case 'z':
      raise_flag[n]();
      break;
    case 'Z':
      spin[n]();
      break;
    case 'b':
      pthread_barrier_wait(&barrier);
      break;
    case 'c':
      pthread_mutex_lock(&around);
      pthread_cond_wait(&condition, &around);
      pthread_mutex_unlock(&around);
      break;
    case 's':
      pthread_cond_signal(&condition);
      break;
    case 'a':
      pthread_cond_broadcast(&condition);
      break;
    }
  }
  return at;
}

UNCHECKED static void *thread(void *text) {
  run(text);
  return 0;
}

UNCHECKED int main(int count, char **arguments) {
  const char *text = count > 1 ? arguments[1] : "";
  pthread_t threads[8];
  int n = 0;
  pthread_barrier_init(&barrier, 0, 2);
  sem_init(&semaphore[0], 0, 0);
  sem_init(&semaphore[1], 0, 1);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive[0], &attributes);
  pthread_mutex_init(&recursive[1], &attributes);
  for (const char *at = strchr(text, '/'); at; at = strchr(at + 1, '/'))
    pthread_create(&threads[n++], 0, thread, (void *)(at + 1));
  run(text);
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], 0);
  return 0;
}
