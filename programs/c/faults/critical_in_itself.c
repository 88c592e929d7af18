// A critical region is entered again inside itself.
// expect: program-error
// message: holds this lock already
int x;

__attribute__((noinline)) static void add(int n) {
#pragma omp critical(total)
  {
    x += n;
    if (n > 0)
      add(n - 1);
  }
}

int main(void) {
#pragma omp parallel num_threads(2)
  add(1);
  return 0;
}
