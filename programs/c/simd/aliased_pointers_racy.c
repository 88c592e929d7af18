// The two arrays overlap where one is called with the other.
// expect: race
int data[100];

static void shift(int *to, const int *from, int n) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    to[i] = from[i]; //~ race data[] #1
}

int main(void) {
  shift(data + 1, data, 50);
  return 0;
}
