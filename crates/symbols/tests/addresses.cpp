// Prints its own addresses and memory map, for the test of symbolisation.
#include <cstdio>
namespace n {
struct S {
  int v;
};
S g;
static int arr[10];
}
int x; // a name that is a mangled type too
static int initialised[3] = {1, 2, 3};

__attribute__((noinline)) static void here(void) {
  std::printf("pc %p\n", __builtin_return_address(0));
}

static inline __attribute__((always_inline)) void inlined(int n) {
  n::arr[n]++;
  here(); // line 19
}

template <class T> __attribute__((noinline)) void outer(T t) {
  inlined(t); // line 23
  n::g.v++;
}

int main() {
  static int local;
  outer(3);
  local++;
  std::printf("var %p n::g\n", (void *)&n::g);
  std::printf("var %p n::arr\n", (void *)&n::arr[0]);
  std::printf("var %p n::arr\n", (void *)((char *)&n::arr[3] + 1));
  std::printf("var %p initialised\n", (void *)&initialised[2]);
  std::printf("var %p x\n", (void *)&x);
  std::printf("var %p main::local\n", (void *)&local);
  std::printf("none %p\n", (void *)(&n::arr[10] + 1000000));
  std::printf("maps\n");
  std::FILE *maps = std::fopen("/proc/self/maps", "r");
  for (int c; maps && (c = std::fgetc(maps)) != EOF;) std::putchar(c);
}
