// Strings that are taken apart, each by one task, and the environment set before any task looks at it.
// expect: race-free all-schedules
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TASK _Pragma("omp task")

char a[16] = "a b c", b[16] = "d,e f", *next = b;
int tokens;
char *second;

int main(void) {
  assert(setenv("NAME", "value", 1) == 0 && strtok((char[]){"x y"}, " "));
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK {
      char *rest;
      for (char *token = strtok_r(a, " ", &rest); token; token = strtok_r(0, " ", &rest))
        tokens++;
    }
    TASK second = strsep(&next, ",");
    TASK b[3] = 'E';
    TASK assert(!strcmp(getenv("NAME"), "value"));
    TASK assert(!strcmp(getenv("NAME"), "value"));
  }
  assert(tokens == 3 && !strcmp(second, "d") && !strcmp(next, "eEf"));
  return 0;
}
