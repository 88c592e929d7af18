// A hash join in small: two threads build the table of one relation under a lock for each bucket, then two threads look up the records of the
// other. The count of matches is unprotected. As programs/tp/examples/netzer_join.tp.
// Source: after Netzer's test program join.
// expect: race
#include <pthread.h>

pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int bucket[2], matches;

static void *build(void *number) {
  int t = (int)(long)number;
  for (int key = 2 * t + 1; key < 2 * t + 3; key++) {
    pthread_mutex_lock(&lock[key % 2]);
    bucket[key % 2] = bucket[key % 2] * 10 + key;
    pthread_mutex_unlock(&lock[key % 2]);
  }
  return 0;
}

static void *look_up(void *number) {
  int key = (int)(long)number + 2;
  for (int chain = bucket[key % 2]; chain != 0; chain /= 10)
    if (chain % 10 == key)
      matches = matches + 1; //~ race matches #1
  return 0;
}

static void both(void *(*routine)(void *)) {
  pthread_t a, b;
  pthread_create(&a, 0, routine, (void *)0);
  pthread_create(&b, 0, routine, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
}

int main(void) {
  both(build);
  both(look_up);
}
