// An exception leaves the task it was thrown in.
// expect: program-error
// message: exception
#include <stdexcept>

volatile bool always = true;

int main() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      if (always)
        throw std::runtime_error("lost");
    }
  }
  return 0;
}
