// Tasks append to one string: what the library has compiled of it is compiled with the program.
// expect: race
#include <string>

int main() {
  std::string text = "a string that is long enough for the heap";
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task shared(text)
    text += " and more of it"; //~ race text #1
  }
  return text.empty();
}
