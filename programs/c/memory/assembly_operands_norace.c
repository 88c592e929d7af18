// An instruction with a lock is atomic, an empty one is there for the optimiser.
// expect: race-free
int counter, kept;

int main(void) {
#pragma omp parallel num_threads(4)
  {
    __asm__ volatile("lock; incl %0" : "+m"(counter));
    __asm__ volatile("" : "+m"(kept));
  }
  return counter != 4;
}
