// Threads of C11.
// expect: race-free observed-schedule
#include <assert.h>
#include <threads.h>

mtx_t mutex;
cnd_t changed;
tss_t key;
once_flag flag = ONCE_FLAG_INIT;
int turn, started;

static void start(void) { started++; }

static int work(void *number) {
  int own = *(int *)number;
  call_once(&flag, start);
  tss_set(key, number);
  mtx_lock(&mutex);
  while (turn != own)
    cnd_wait(&changed, &mutex);
  turn++;
  mtx_unlock(&mutex);
  cnd_broadcast(&changed);
  thrd_yield();
  return *(int *)tss_get(key) + 10;
}

int main(void) {
  thrd_t threads[3];
  int number[3] = {2, 1, 0};
  assert(mtx_init(&mutex, mtx_plain) == thrd_success && cnd_init(&changed) == thrd_success && tss_create(&key, 0) == thrd_success);
  for (int i = 0; i < 3; i++)
    assert(thrd_create(&threads[i], work, &number[i]) == thrd_success);
  for (int i = 0; i < 3; i++) {
    int result;
    assert(thrd_join(threads[i], &result) == thrd_success && result == number[i] + 10);
  }
  assert(turn == 3 && started == 1);
}
