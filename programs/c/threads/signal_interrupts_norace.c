// A signal for a thread ends the call that it waits in: the handler runs in that thread. `main` waits for one by `pause`.
// expect: race-free
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

int ends[2];
pthread_t reader, sleeper, sender;
_Atomic pthread_t handled_by[2];
atomic_int count;

static void note(int signal) { handled_by[count++ & 1] = pthread_self(); }

static void *wait_in_read(void *unused) {
  char byte;
  assert(read(ends[0], &byte, 1) == -1 && errno == EINTR);
  return unused;
}

static void *wait_in_sleep(void *unused) {
  assert(sleep(100) > 0);
  return unused;
}

static void *send_later(void *unused) {
  usleep(20000);
  kill(getpid(), SIGUSR2);
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = note}, before;
  sigaction(SIGUSR1, &action, 0);
  sigaction(SIGUSR1, 0, &before);
  assert(before.sa_handler == note);
  assert(pipe(ends) == 0);
  pthread_create(&reader, 0, wait_in_read, 0);
  usleep(20000);
  pthread_kill(reader, SIGUSR1);
  pthread_t first = reader;
  pthread_join(reader, 0);
  pthread_create(&sleeper, 0, wait_in_sleep, 0);
  usleep(20000);
  pthread_kill(sleeper, SIGUSR1);
  pthread_join(sleeper, 0);
  assert(count == 2 && pthread_equal(handled_by[0], first) && pthread_equal(handled_by[1], sleeper));
  assert(signal(SIGUSR2, note) == SIG_DFL);
  pthread_create(&sender, 0, send_later, 0);
  assert(pause() == -1 && errno == EINTR);
  pthread_join(sender, 0);
  assert(count == 3);
}
