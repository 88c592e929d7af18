// What a thread writes after it has connected is not ordered with what the other does after it has accepted.
// expect: race
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int data, listening;

static void *serve(void *unused) {
  close(accept(listening, 0, 0));
  data++; //~ race data #1
  return unused;
}

int main(void) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  socklen_t length = sizeof to.sun_family;
  listening = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listening, (struct sockaddr *)&to, length) || listen(listening, 1))
    return 1;
  length = sizeof to;
  getsockname(listening, (struct sockaddr *)&to, &length);
  pthread_t thread;
  pthread_create(&thread, 0, serve, 0);
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(file, (struct sockaddr *)&to, length))
    return 2;
  data++; //~ race data #1
  pthread_join(thread, 0);
  return 0;
}
