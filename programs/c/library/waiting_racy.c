// What select, poll, epoll and getopt read and write, in two tasks.
// expect: race
#define _GNU_SOURCE
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define TASK _Pragma("omp task")

fd_set ready, room;
struct epoll_event come[4], change = {.events = EPOLLIN}, none;
struct pollfd list = {.events = POLLIN};
struct timespec patience;
struct timeval rest;
sigset_t mask;
char *arguments[] = {"program", "-a", "-b", "x", 0}, letters[] = "ab:";
volatile int counts[16], seen[16];

int main(void) {
  int ends[2], events = epoll_create1(0);
  if (pipe(ends) != 0 || write(ends[1], "a", 1) != 1)
    return 1;
  epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &change);
  FD_SET(ends[0], &ready);
  list.fd = ends[0];
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK counts[0] = select(ends[0] + 1, &ready, &room, 0, &rest); //~ race ready[] #1 race rest.tv_sec #2
    TASK seen[0] = ((char *)&ready)[0]; //~ race ready[] #1
    TASK seen[1] = rest.tv_sec != 0;    //~ race rest.tv_sec #2
    TASK seen[2] = ((char *)&room)[64]; // of a descriptor that was not asked for
    TASK counts[1] = epoll_wait(events, come, 4, 0); //~ race come[].events #3
    TASK seen[3] = come[0].events != 0; //~ race come[].events #3
    TASK come[1].events = 0;            // only one has come
    TASK counts[2] = epoll_ctl(events, EPOLL_CTL_MOD, ends[0], &change); //~ race change.events #4
    TASK change.events = EPOLLIN;       //~ race change.events #4
    TASK counts[3] = epoll_ctl(events, EPOLL_CTL_DEL, ends[1], &none);
    TASK none.events = 0;
    TASK counts[4] = ppoll(&list, 1, &patience, &mask); //~ race list.revents #5 race patience.tv_nsec #6 race mask[] #7
    TASK list.revents = 0;              //~ race list.revents #5
    TASK patience.tv_nsec = 0;          //~ race patience.tv_nsec #6
    TASK ((char *)&mask)[0] = 0;        //~ race mask[] #7
    TASK counts[5] = getopt(4, arguments, letters); //~ race optind #8 race letters[] #9 race arguments[] #10
    TASK seen[4] = optind;              //~ race optind #8
    TASK letters[0] = 'a';              //~ race letters[] #9
    TASK arguments[1] = "-b";           //~ race arguments[] #10
  }
  return 0;
}
