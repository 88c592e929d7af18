// A merge in one task. Others write what it only compares, the first and the last that it takes, and the first and the last that it writes.
// expect: race
int a[10] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, b[10] = {0, 2, 4, 6, 8, 90, 91, 92, 93, 94}, to[16];

static void merge(const int *x, const int *y, int *z, int *end) {
  do
    *z++ = *y < *x ? *y++ : *x++; //~ race b[] #1 race a[] #2 race a[] #3 race to[] #4 race to[] #5
  while (z < end);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    merge(a + 1, b + 1, to + 1, to + 13);
#pragma omp task
    b[5] = 90; //~ race b[] #1
#pragma omp task
    a[1] = 3; //~ race a[] #2
#pragma omp task
    a[8] = 17; //~ race a[] #3
#pragma omp task
    to[1] = 0; //~ race to[] #4
#pragma omp task
    to[12] = 0; //~ race to[] #5
#pragma omp task
    a[0] = 1, a[9] = 19, b[0] = 0, b[6] = 91, to[0] = 0, to[13] = 0; // beside what it accesses
  }
  return 0;
}
