// The pointer is private, what it points to is not.
// expect: race
int block[4];

int main(void) {
  int *p = block;
#pragma omp parallel firstprivate(p) num_threads(3)
  {
    p += 2;
    *p += 1; //~ race block[] #1
  }
  return 0;
}
