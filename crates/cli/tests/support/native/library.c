// Tasks that call functions of the C library on one buffer, as the arguments say: the buffer, with `.` for zero, then a task each. A task is a
// list of calls `FUNCTION:OFFSET:NUMBER:WORD`, and `wait` waits for the tasks before it. For tests/native/library.rs.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

char buffer[128];
static int nowhere, zeros;

static int ascending(const void *x, const void *y) { return *(const char *)x - *(const char *)y; }

static void call(const char *function, char *at, size_t n, const char *word) {
  char own[64], *rest;
  size_t result = 0;
#define IS(name) (!strcmp(function, #name))
  if (IS(load))
    result = (size_t)*at;
  else if (IS(store))
    *at = *word;
  else if (IS(strlen))
    result = strlen(at);
  else if (IS(strnlen))
    result = strnlen(at, n);
  else if (IS(strcpy))
    strcpy(at, word);
  else if (IS(stpcpy))
    stpcpy(at, word);
  else if (IS(strncpy))
    strncpy(at, word, n);
  else if (IS(strcat))
    strcat(at, word);
  else if (IS(strncat))
    strncat(at, word, n);
  else if (IS(strcmp))
    result = (size_t)strcmp(at, word);
  else if (IS(strncmp))
    result = (size_t)strncmp(at, word, n);
  else if (IS(strcasecmp))
    result = (size_t)strcasecmp(at, word);
  else if (IS(strchr))
    result = (size_t)strchr(at, *word);
  else if (IS(strrchr))
    result = (size_t)strrchr(at, *word);
  else if (IS(strstr))
    result = (size_t)strstr(at, word);
  else if (IS(strspn))
    result = strspn(at, word);
  else if (IS(strcspn))
    result = strcspn(at, word);
  else if (IS(strpbrk))
    result = (size_t)strpbrk(at, word);
  else if (IS(strdup))
    free(strdup(at));
  else if (IS(strtok_r))
    result = (size_t)strtok_r(at, word, &rest);
  else if (IS(memchr))
    result = (size_t)memchr(at, *word, n);
  else if (IS(memrchr))
    result = (size_t)memrchr(at, *word, n);
  else if (IS(memcmp))
    result = (size_t)memcmp(at, word, strlen(word));
  else if (IS(memccpy))
    result = (size_t)memccpy(at, word, word[1], 2);
  else if (IS(mempcpy))
    result = (size_t)mempcpy(at, word, 2);
  else if (IS(bzero))
    bzero(at, n);
  else if (IS(qsort))
    qsort(at, n, 1, ascending);
  else if (IS(atoi))
    result = (size_t)atoi(at);
  else if (IS(sprintf))
    sprintf(at, "%s%zu", word, n);
  else if (IS(snprintf))
    result = (size_t)snprintf(at, n, "%s", word);
  else if (IS(precision))
    snprintf(own, sizeof own, "%.*s", (int)n, at);
  else if (IS(scan))
    result = (size_t)sscanf(word, "%s", at);
  else if (IS(read))
    result = (size_t)read(zeros, at, n);
  else if (IS(write))
    result = (size_t)write(nowhere, at, n);
  else
    exit(9);
  __asm__ volatile("" : : "r"(result));
}

static void calls(char *list) {
  char *rest, *next;
  for (char *each = strtok_r(list, ",", &rest); each; each = strtok_r(0, ",", &rest)) {
    char *function = strtok_r(each, ":", &next), *offset = strtok_r(0, ":", &next), *n = strtok_r(0, ":", &next);
    call(function, buffer + atoi(offset), (size_t)atoi(n), strtok_r(0, ":", &next));
  }
}

int main(int count, char **arguments) {
  nowhere = open("/dev/null", O_WRONLY);
  zeros = open("/dev/zero", O_RDONLY);
  for (int i = 0; arguments[1][i]; i++)
    buffer[i] = arguments[1][i] == '.' ? 0 : arguments[1][i];
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 2; i < count; i++) {
    if (!strcmp(arguments[i], "wait")) {
#pragma omp taskwait
    } else {
#pragma omp task
      calls(arguments[i]);
    }
  }
  return 0;
}
