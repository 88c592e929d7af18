// The tasks meet in one element.
// expect: race
#include <vector>

int main() {
  std::vector<int> values(20);
  int *data = values.data();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
    data[i / 2] += i; //~ race values[] #1
  }
  return 0;
}
