// A target task is one also outside of parallel regions: its creator does not wait for it.
// expect: race
static int x;
int y;

int main(void) {
#pragma omp target nowait map(tofrom : x)
  x = 1; //~ race x #1
  y = x; //~ race x #1
#pragma omp taskwait
  return 0;
}
