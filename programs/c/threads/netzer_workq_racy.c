// A queue of regions: each thread twice removes a region and has another thread work on it. Two bugs: the threads use different locks, so that both
// may get the same region; and the work goes one element too far. As programs/tp/examples/netzer_workq.tp.
// Source: after Netzer's modified test program workq.
// expect: race
#include <pthread.h>

pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int next, element[6];

static void *work(void *number) {
  long region = (long)number;
  for (long k = region; k < region + 2; k++)
    element[k] = element[k] + 1; //~ race element[] #1
  return 0;
}

static void *take(void *number) {
  for (int turn = 0; turn < 2; turn++) {
    pthread_t worker;
    pthread_mutex_lock(&lock[(long)number]);
    long region = next; //~ race next #2
    next = region + 1;  //~ race next #2 #3
    pthread_mutex_unlock(&lock[(long)number]);
    pthread_create(&worker, 0, work, (void *)region);
    pthread_join(worker, 0);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, take, (void *)0);
  pthread_create(&b, 0, take, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
