// Two threads wait for a mutex with a limit that does not come. Each gets it in the end.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

static void *take(void *unused) {
  struct timespec late;
  clock_gettime(CLOCK_REALTIME, &late);
  late.tv_sec += 3600;
  assert(pthread_mutex_timedlock(&mutex, &late) == 0);
  usleep(1000);
  count++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_mutex_lock(&mutex);
  pthread_create(&a, 0, take, 0);
  pthread_create(&b, 0, take, 0);
  pthread_mutex_unlock(&mutex);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
}
