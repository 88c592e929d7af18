// A global that is private in the region is still the shared one in a function that is called there.
// expect: race
int level;

__attribute__((noinline)) static void raise_level(int by) {
  level += by; //~ race level #1
}

int main(void) {
#pragma omp parallel private(level) num_threads(2)
  {
    level = 1;
    raise_level(level);
  }
  return 0;
}
