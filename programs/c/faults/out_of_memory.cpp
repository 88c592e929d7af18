// The allocation fails and nobody catches the exception.
// expect: program-error
// message: bad_alloc
#include <cstddef>
#include <new>

volatile std::size_t size = std::size_t(1) << 60;
char *block;

int main() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    block = new char[size];
  }
  return 0;
}
