// Recursion without an end, in a thread of the team.
// expect: program-error
// message: overflowed
volatile int calls;

__attribute__((noinline)) static int endless(int n) {
  calls = n;
  return calls < 0 ? 0 : endless(n + 1) + calls;
}

int main(void) {
  int got = 0;
#pragma omp parallel num_threads(1) shared(got)
  got = endless(1);
  return got & 0;
}
