// A shared queue under a spin lock, here a semaphore: each thread twice appends a record and removes one. Two bugs: one thread lacks the operation
// that takes the lock, and only releases it; and the record that is removed is the one after the first. As programs/tp/examples/netzer_parq.tp.
// Source: after Netzer's modified test program parq.
// expect: race
#include <pthread.h>
#include <semaphore.h>

sem_t queue;
int record[6], head, tail;

static int exchange(int v) {
  record[tail] = v;           //~ race? record[] #1 race tail #2 race record[] #3
  tail = tail + 1;            //~ race tail #2 #4
  int got = record[head + 1]; //~ race record[] #3 race head #5
  head = head + 1;            //~ race head #5 #6
  return got;
}

static void *careful(void *unused) {
  for (int turn = 0; turn < 2; turn++) {
    sem_wait(&queue);
    exchange(1);
    sem_post(&queue);
  }
  return unused;
}

static void *careless(void *unused) {
  for (int turn = 0; turn < 2; turn++) {
    // sem_wait(&queue) is missing.
    exchange(2);
    sem_post(&queue);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  sem_init(&queue, 0, 1);
  pthread_create(&a, 0, careful, 0);
  pthread_create(&b, 0, careless, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
