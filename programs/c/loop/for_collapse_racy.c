// A row is no longer run by one thread once the inner loop is shared out too.
// expect: race
int a[6][8], b[6][8];

int main(void) {
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int i = 0; i < 6; i++)
    for (int j = 1; j < 8; j++) {
      a[i][j] = j;           //~ race a[] #1
      b[i][j] = a[i][j - 1]; //~ race a[] #1
    }
  return 0;
}
