// The single publishes the address of its thread's own variable; copyprivate copies the address.
// expect: race
int main(void) {
#pragma omp parallel
  {
    int own = 0, *one;
#pragma omp single copyprivate(one)
    one = &own;
    *one += 1; //~ race own #1
#pragma omp barrier
  }
  return 0;
}
