// Elements of a vector of bool are bits of one word.
// expect: race
#include <vector>

int main() {
  std::vector<bool> flags(8);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 8; i++)
    flags[i] = true; //~ race flags #1
  return 0;
}
