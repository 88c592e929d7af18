// A static variable that nobody reads: the optimiser may drop or sink its writes, which race all the same.
// expect: race
// flags: -O2
static int last;

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 16; i++)
    last = i; //~ race last #1
  return 0;
}
