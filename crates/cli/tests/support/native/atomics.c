// Runs the tasks that its argument describes. Accesses are a letter, a variable and a place: r and w read and write, a and s do so
// atomically, u updates atomically. j waits, y lets others go first, t{…} is a task, f{…} one that its creator runs, g{…} a group, d{…} a chain of tasks, each
// the child of the one before, that all do the same.
#include <string.h>

// Each variable and place has functions of its own, and a line, so that the report tells which it was.
#define PLACE(type, x, place)                                                                      \
  __attribute__((noinline)) static void r##x##place(void) { *(volatile type *)&v##x; }             \
  __attribute__((noinline)) static void w##x##place(void) { *(volatile type *)&v##x = 1; }         \
  __attribute__((noinline)) static void a##x##place(void) {                                        \
    type seen;                                                                                     \
    _Pragma("omp atomic read") seen = v##x;                                                        \
    __asm__ volatile("" : : "r"(seen));                                                            \
  }                                                                                                \
  __attribute__((noinline)) static void s##x##place(void) {                                        \
    _Pragma("omp atomic write") v##x = 1;                                                          \
  }                                                                                                \
  __attribute__((noinline)) static void u##x##place(void) {                                        \
    _Pragma("omp atomic update") v##x += 1;                                                        \
  }
static int v0;
static long v1;
static short v2;
PLACE(int, 0, p)
PLACE(int, 0, q)
PLACE(int, 0, z)
PLACE(long, 1, p)
PLACE(long, 1, q)
PLACE(long, 1, z)
PLACE(short, 2, p)
PLACE(short, 2, q)
PLACE(short, 2, z)

#define OF(letter, x) {letter##x##p, letter##x##q, letter##x##z}
#define EACH(letter) {OF(letter, 0), OF(letter, 1), OF(letter, 2)}
static void (*const accesses[5][3][3])(void) = {EACH(r), EACH(w), EACH(a), EACH(s), EACH(u)};
static const char letters[] = "rwasu", places[] = "pqz";

static const char *end_of(const char *block) {
  for (int depth = 0;; block++) {
    if (*block == '{')
      depth++;
    if (*block == '}' && --depth == 0)
      return block;
  }
}

static void run(const char *at, const char *end);

__attribute__((noinline)) static void chain(int length, const char *from, const char *to) {
  run(from, to);
  if (length > 1) {
#pragma omp task firstprivate(length, from, to)
    chain(length - 1, from, to);
#pragma omp taskwait
  }
  run(from, to);
}

__attribute__((noinline)) static void run(const char *at, const char *end) {
  while (at < end) {
    char what = *at++;
    const char *letter = strchr(letters, what);
    if (letter) {
      accesses[letter - letters][at[0] - '0'][strchr(places, at[1]) - places]();
      at += 2;
      continue;
    }
    const char *from = at + 1, *to = at;
    if (what != 'j' && what != 'y') {
      to = end_of(at);
      at = to + 1;
    }
    switch (what) {
    case 'j': {
#pragma omp taskwait
      break;
    }
    case 'y': {
#pragma omp taskyield
      break;
    }
    case 't':
#pragma omp task firstprivate(from, to)
      run(from, to);
      break;
    case 'f':
#pragma omp task firstprivate(from, to) if (0)
      run(from, to);
      break;
    case 'g':
#pragma omp taskgroup
      run(from, to);
      break;
    case 'd':
      chain(12, from, to);
      break;
    }
  }
}

int main(int count, char **words) {
#pragma omp parallel
#pragma omp single
  run(words[1], words[1] + strlen(words[1]));
  return count - 2;
}
