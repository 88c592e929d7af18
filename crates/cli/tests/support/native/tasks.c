// Runs the tasks that its argument describes: r0 and w0 access a variable, j waits, t{…} is a task, f{…} one that its
// creator runs, i0{…} and o0{…} ones with a dependence, g{…} a group, l0{…} is done under a lock, q0{…} if a variable is zero.
// Only the variables are checked, so that what a task does first may race. With a second argument all that is done twice, at first with other
// variables, one for each access; all have been accessed when it is done again, and before each access two of the others are. So the runtime
// knows all places of the program, and the step that runs, when it meets what may race.
#include <omp.h>
#include <string.h>

#define UNCHECKED __attribute__((no_sanitize("thread")))

int x[8], others[1024], next, alone, before;
char key[8];
omp_lock_t lock[2];

__attribute__((noinline)) static int get(int *at) { return *at; }
__attribute__((noinline)) static void set(int *at) { *at = 1; }

// What is accessed if so many accesses come before it: nobody else has one of the others.
UNCHECKED static int *variable(int number, int more) { return alone || more ? &others[next++ % 1024] : &x[number]; }

UNCHECKED static const char *end_of(const char *block) {
  for (int depth = 0;; block++) {
    if (*block == '{')
      depth++;
    if (*block == '}' && --depth == 0)
      return block;
  }
}

UNCHECKED __attribute__((noinline)) static void run(const char *at, const char *end) {
  while (at < end) {
    char what = *at++;
    int number = strchr("rwiolq", what) ? *at++ - '0' : 0;
    const char *from = at + 1, *to = at;
    if (strchr("tfioglq", what)) {
      to = end_of(at);
      at = to + 1;
    }
    switch (what) {
    case 'r':
      for (int more = before; more >= 0; more--) {
        volatile int value = get(variable(number, more));
        (void)value;
      }
      break;
    case 'w':
      for (int more = before; more >= 0; more--)
        set(variable(number, more));
      break;
    case 'j': {
#pragma omp taskwait
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
    case 'i':
#pragma omp task firstprivate(from, to) depend(in : key[number])
      run(from, to);
      break;
    case 'o':
#pragma omp task firstprivate(from, to) depend(out : key[number])
      run(from, to);
      break;
    case 'l':
      omp_set_lock(&lock[number]);
      run(from, to);
      omp_unset_lock(&lock[number]);
      break;
    case 'q':
      if (get(variable(number, 0)) == 0)
        run(from, to);
      break;
    case 'g':
#pragma omp taskgroup
      run(from, to);
      break;
    }
  }
}

int main(int count, char **words) {
  omp_init_lock(&lock[0]);
  omp_init_lock(&lock[1]);
  before = count > 2 ? 2 : 0;
  for (alone = count > 2; alone >= 0; alone--) {
    next = 0;
    for (int i = 0; count > 2 && i < 8; i++)
      set(&x[i]);
#pragma omp parallel
#pragma omp single
    run(words[1], words[1] + strlen(words[1]));
  }
  return count < 2;
}
