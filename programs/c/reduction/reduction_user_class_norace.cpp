// A class with a constructor and an operator, reduced by a declared reduction.
// expect: race-free all-schedules
#include <cassert>

class Sum {
public:
  Sum() : value(0) {}
  Sum &operator+=(const Sum &other) {
    value += other.value;
    return *this;
  }
  long value;
};

#pragma omp declare reduction(+ : Sum : omp_out += omp_in)

int main() {
  Sum sum;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 30; i++)
    sum.value += i;
  assert(sum.value == 435);
  return 0;
}
