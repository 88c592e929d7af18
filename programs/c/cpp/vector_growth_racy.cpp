// One task makes the vector grow while another reads its first element.
// expect: race
#include <vector>

int got;

int main() {
  std::vector<int> values(1);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(values)
    got = values[0]; //~ race values #1
#pragma omp task shared(values)
    values.push_back(2); //~ race values #1
  }
  return 0;
}
