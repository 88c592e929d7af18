/* Stands for the runtime library in tests of the driver: says which entry points were called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int accesses, regions;

int __real_main(int argc, char **argv, char **envp);
int __wrap_main(int argc, char **argv, char **envp) {
  int status = __real_main(argc, argv, envp);
  fflush(stdout);
  fprintf(stderr, "stub: %s accesses, %d regions\n", accesses ? "some" : "no", regions);
  const char *options = getenv("RACEPROOF_OPTIONS");
  if (options) {
    /* `report=OUT` and `stub=IN`: the report is what stands in IN. */
    char out[4096] = "", in[4096] = "", all[16384];
    snprintf(all, sizeof all, "%s", options);
    for (char *word = strtok(all, ": "); word; word = strtok(NULL, ": ")) {
      if (!strncmp(word, "report=", 7)) snprintf(out, sizeof out, "%s", word + 7);
    }
    if (getenv("STUB_REPORT")) snprintf(in, sizeof in, "%s", getenv("STUB_REPORT"));
    fprintf(stderr, "stub: options %s\n", options);
    FILE *from = fopen(in, "r"), *to = out[0] ? fopen(out, "w") : NULL;
    for (int c; from && to && (c = fgetc(from)) != EOF;) fputc(c, to);
    if (to) fclose(to);
  }
  if (getenv("STUB_ABORT")) abort();
  return status;
}

void __tsan_init(void) {}
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void) {}
#define ACCESS(name) void name(void *at) { (void)at; accesses++; }
ACCESS(__tsan_read1) ACCESS(__tsan_read2) ACCESS(__tsan_read4) ACCESS(__tsan_read8)
ACCESS(__tsan_write1) ACCESS(__tsan_write2) ACCESS(__tsan_write4) ACCESS(__tsan_write8)
void *__tsan_memset(void *at, int c, unsigned long n) { accesses++; return memset(at, c, n); }

typedef void (*body)(int *, int *, void *);
void __kmpc_fork_call(void *loc, int n, body run, void *shared) {
  int id = 0;
  (void)loc, (void)n;
  regions++;
  run(&id, &id, shared);
}
int omp_get_thread_num(void) { return 0; }
