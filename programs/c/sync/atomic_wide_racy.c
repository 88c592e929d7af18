// Sixteen bytes at once: the updates are atomic, the read beside them is not.
// expect: race
// flags: -mcx16
_Atomic __int128 wide;
long copy;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    wide++;
    __int128 expected = 1;
    __c11_atomic_compare_exchange_strong(&wide, &expected, 5, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  }
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    __c11_atomic_fetch_or(&wide, 8, __ATOMIC_RELAXED); //~ race wide #1
#pragma omp section
    copy = *(long *)&wide; //~ race wide #1
  }
  return 0;
}
