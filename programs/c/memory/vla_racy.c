// Tasks write overlapping parts of a variable-length array.
// expect: race
__attribute__((noinline)) static int fill(int n) {
  int parts[n];
  for (int t = 0; t < n - 1; t++) {
#pragma omp task shared(parts)
    for (int i = t; i < t + 2; i++)
      parts[i] = i; //~ race parts[] #1
  }
#pragma omp taskwait
  return parts[0];
}

int main(void) {
  int got = 0;
#pragma omp parallel
#pragma omp single
  got = fill(5);
  return got;
}
