// Inline assembly names the memory that it reads and writes.
// expect: race
int written, read, updated;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      int copy;
      __asm__("movl $5, %0" : "=m"(written)); //~ race written #1
      __asm__("movl %1, %0" : "=r"(copy) : "m"(read)); //~ race read #2
      __asm__("addl $1, %0" : "+m"(updated)); //~ race updated #3
    }
#pragma omp section
    {
      written = 1; //~ race written #1
      read = 2; //~ race read #2
      updated = 3; //~ race updated #3
    }
  }
  return 0;
}
