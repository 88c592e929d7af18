// The thread of the last section assigns the variable, which an earlier section reads by its address.
// expect: race
int last, seen;

int main(void) {
  int *original = &last;
#pragma omp parallel sections lastprivate(last) //~ race last #1
  {
#pragma omp section
    seen = *original; //~ race last #1
#pragma omp section
    last = 1;
  }
  return 0;
}
