// A thread of its own waits for the signals of the process, which all block; others send them and work meanwhile.
// expect: race-free
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

sigset_t handled;
int seen;

static void *handle(void *unused) {
  for (;;) {
    int signal;
    assert(sigwait(&handled, &signal) == 0);
    if (signal == SIGTERM)
      return unused;
    seen += signal == SIGUSR1;
  }
}

int main(void) {
  pthread_t thread;
  sigemptyset(&handled);
  sigaddset(&handled, SIGUSR1);
  sigaddset(&handled, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &handled, 0);
  pthread_create(&thread, 0, handle, 0);
  kill(getpid(), SIGUSR1);
  usleep(50000);
  pthread_kill(thread, SIGTERM);
  pthread_join(thread, 0);
  assert(seen == 1);
}
