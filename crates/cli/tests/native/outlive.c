/* Races, and then ends as its first argument says. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int shared, other;

static void race(void) {
#pragma omp parallel num_threads(2)
  shared++; /* the race */
}

static void limit(int resource, rlim_t most) {
  struct rlimit limit = {most, most};
  if (setrlimit(resource, &limit)) abort();
}

static void become_root_of_nothing(const char *folder) {
  if (chdir(folder)) abort();
  if (chroot(".") && (unshare(CLONE_NEWUSER) || chroot("."))) abort();
  if (chdir("/")) abort();
}

static void close_all(void) {
  for (int fd = 0; fd < 1100; fd++) close(fd);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  const char *what = argc > 2 ? argv[2] : "";
  char *nothing[] = {NULL}, *arguments[] = {(char *)"true", NULL};
#define WAY(name) if (!strcmp(how, name))
  /* Before the race: it is found by a process that has nothing left. */
  WAY("early-chroot") become_root_of_nothing(what);
  WAY("early-nofile") limit(RLIMIT_NOFILE, 0);
  WAY("early-close") close_all();
  WAY("early-over") for (int fd = 3; fd < 1000; fd++) dup2(1, fd);
  WAY("free") return 0;
  WAY("other") {
#pragma omp parallel num_threads(2)
    other++; /* the other race */
    return 0;
  }
  race();
  WAY("print") for (int i = 0; i < 3; i++) printf("line %d of the program\n", i);
  WAY("quick_exit") quick_exit(0);
  WAY("_exit") _exit(0);
  WAY("_Exit") _Exit(0);
  WAY("exit_group") syscall(SYS_exit_group, 0);
  WAY("raw") __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory");
  WAY("execve") execve("/bin/true", arguments, environ);
  WAY("execv") execv("/bin/true", arguments);
  WAY("execvp") execvp("true", arguments);
  WAY("execl") execl("/bin/sh", "sh", "-c", "test \"$*\" = '2 3 4 5 6'", "1", "2", "3", "4", "5", "6", (char *)NULL);
  WAY("execlp") execlp("true", "true", (char *)NULL);
  WAY("execle") execle("/bin/sh", "sh", "-c", "test -z \"$HOME\"", (char *)NULL, nothing);
  WAY("syscall-execve") syscall(SYS_execve, "/bin/true", arguments, environ);
  WAY("self") execl(argv[0], argv[0], "other", (char *)NULL);
  WAY("no-exec") {
    if (execl("/no/such/program", "x", (char *)NULL) != -1 || errno != ENOENT) return 9;
    if (execv("/etc/passwd", arguments) != -1) return 9;
    return 0;
  }
  WAY("alarm") {
    alarm(1);
    for (;;) pause();
  }
  WAY("usr1") raise(SIGUSR1), race();
  WAY("kill") kill(getpid(), SIGKILL);
  WAY("segv") *(volatile int *)16 = 1;
  WAY("abort") abort();
  WAY("close") close_all();
  WAY("chroot") become_root_of_nothing(what);
  WAY("nofile") limit(RLIMIT_NOFILE, 0);
  WAY("as") {
    limit(RLIMIT_AS, 1 << 20);
    void *volatile none = malloc(64 << 20);
    if (none) return 9;
    race();
  }
  WAY("fsize") limit(RLIMIT_FSIZE, 0);
  WAY("fsize-write") {
    limit(RLIMIT_FSIZE, 10);
    FILE *file = fopen(what, "w");
    for (int i = 0; i < 100000; i++) fputc('x', file);
    fclose(file);
  }
  WAY("fork") {
    if (!fork()) _exit(0);
    wait(NULL);
  }
  WAY("vfork") {
    if (!vfork()) _exit(0);
    wait(NULL);
#pragma omp parallel num_threads(2)
    other++;
  }
  WAY("vfork-exec") {
    if (!vfork()) {
      execv("/bin/true", arguments);
      _exit(1);
    }
    wait(NULL);
#pragma omp parallel num_threads(2)
    other++;
  }
  WAY("wait") {
    FILE *file = fopen(what, "w");
    fprintf(file, "%d\n", getpid());
    fclose(file);
    for (;;) pause();
  }
  WAY("deaf") {
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
  }
  return 0;
}
