// Connections that wait until the other thread has accepted those before them; what was written before a connection is
// read after it was accepted.
// expect: race-free observed-schedule
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define COUNT 4
static int data[COUNT], sum, listening;

static void *serve(void *unused) {
  for (int i = 0; i < COUNT; i++) {
    struct pollfd wanted = {.fd = listening, .events = POLLIN};
    if (ppoll(&wanted, 1, 0, 0) != 1)
      return unused;
    int file = accept(listening, 0, 0);
    sum += data[i];
    close(file);
  }
  return unused;
}

int main(void) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  socklen_t length = sizeof to.sun_family;
  listening = socket(AF_UNIX, SOCK_STREAM, 0);
  // The system chooses a name.
  if (bind(listening, (struct sockaddr *)&to, length) || listen(listening, 0))
    return 1;
  length = sizeof to;
  getsockname(listening, (struct sockaddr *)&to, &length);
  pthread_t thread;
  pthread_create(&thread, 0, serve, 0);
  for (int i = 0; i < COUNT; i++) {
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    data[i] = i;
    if (connect(file, (struct sockaddr *)&to, length))
      return 2;
    close(file);
  }
  pthread_join(thread, 0);
  return sum != 6;
}
