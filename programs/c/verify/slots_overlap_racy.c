// Places in a buffer are dealt out in a section. A large record needs two; the place behind it is not kept free.
// expect: race
// run: race-free
// executions: 2
int next, buffer[8];

static int place(void) {
  int mine;
#pragma omp critical
  mine = next++;
  return mine;
}

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      int at = place();
      buffer[at] = 1; //~ race buffer[] #1
    }
#pragma omp section
    {
      int at = place();
      buffer[at] = 2;
      buffer[at + 1] = 3; //~ race buffer[] #1
    }
  }
  return 0;
}
