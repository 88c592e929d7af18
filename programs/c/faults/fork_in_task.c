// A task forks; the child is not looked at.
// expect: inconclusive
// message: fork
#include <sys/wait.h>
#include <unistd.h>

int status;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      pid_t child = fork();
      if (child == 0)
        _exit(0);
      waitpid(child, &status, 0);
    }
  }
  return 0;
}
