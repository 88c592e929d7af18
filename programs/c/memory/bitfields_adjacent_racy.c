// Neighbouring bit-fields are one memory location.
// expect: race
struct {
  unsigned low : 3, high : 3;
} s;
unsigned copy;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    s.low = 1; //~ race s #1
#pragma omp task
    s.high = 2; //~ race s #1
  }
  return 0;
}
