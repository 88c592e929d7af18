// A team inside a target region shares the mapped variable.
// expect: race
int x;

int main(void) {
#pragma omp target parallel map(tofrom : x) num_threads(2)
  x++; //~ race x #1
  return 0;
}
