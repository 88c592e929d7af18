// The same without the directive.
// expect: race
int got[4];

__attribute__((noinline)) static int ticket(void) {
  static int next;
  return next++; //~ race next #1
}

int main(void) {
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int i = 0; i < 4; i++)
    got[i] = ticket();
  return 0;
}
