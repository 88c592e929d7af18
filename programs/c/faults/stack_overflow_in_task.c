// The frames of a task need more than any stack has.
// expect: program-error
// message: overflowed
volatile int depth = 1 << 20;

__attribute__((noinline)) static int descend(int n) {
  volatile char frame[4096];
  frame[0] = (char)n;
  return n == 0 ? 0 : descend(n - 1) + frame[0];
}

int main(void) {
  int got = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(got)
    got = descend(depth);
  }
  return got & 0;
}
