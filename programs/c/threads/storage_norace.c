// Thread-local variables, keys and their destructors, cleanup handlers, `pthread_exit`: each thread has its own, fresh.
// expect: race-free all-schedules
#include <assert.h>
#include <pthread.h>
#include <string.h>

_Thread_local int local = 5;
pthread_key_t key;
static _Thread_local char order[8];
int destroyed[3];

static void destroy(void *number) { destroyed[*(int *)number]++; }
static void clean(void *letter) { strcat(order, letter); }

static void leave(void *value) {
  pthread_cleanup_push(clean, "i");
  pthread_exit(value);
  pthread_cleanup_pop(0);
}

static void *work(void *number) {
  assert(local == 5 && pthread_getspecific(key) == 0 && order[0] == 0);
  local += *(int *)number;
  pthread_setspecific(key, number);
  pthread_cleanup_push(clean, "o");
  leave((void *)(long)local);
  pthread_cleanup_pop(0);
  return 0;
}

int main(void) {
  int number[3] = {0, 1, 2};
  pthread_key_create(&key, destroy);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, &number[i]);
    assert(!pthread_equal(thread, pthread_self()));
    pthread_join(thread, &result);
    assert((long)result == 5 + i && destroyed[i] == 1);
  }
  assert(local == 5);
}
