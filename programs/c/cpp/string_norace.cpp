// Every task builds a string of its own, short and long.
// expect: race-free all-schedules
#include <cassert>
#include <string>

std::string lines[8];

int main() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; i++) {
#pragma omp task
    {
      std::string line = "row";
      for (int k = 0; k < 10 * i; k++)
        line += char('a' + k % 26);
      lines[i] = line;
    }
  }
  assert(lines[7].size() == 73 && lines[0] == "row");
  return 0;
}
