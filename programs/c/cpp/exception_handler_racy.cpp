// The handlers of two tasks write one variable.
// expect: race
int last;

__attribute__((noinline)) static void fail(int i) { throw i; }

int main() {
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= 2; i++) {
#pragma omp task
    {
      try {
        fail(i);
      } catch (int e) {
        last = e; //~ race last #1
      }
    }
  }
  return 0;
}
