// Tasks append to one vector: every field of it and every block it had races, by one mistake.
// expect: race
#include <vector>

int main() {
  std::vector<int> values;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; i++) {
#pragma omp task shared(values) firstprivate(i)
    values.push_back(i * i); //~ race values #1
  }
  return values.size() > 8;
}
