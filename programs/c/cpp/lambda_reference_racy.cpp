// A lambda that captured a local by reference is run by two tasks.
// expect: race
int main() {
  int total = 0;
  auto add = [&total](int n) {
    total += n; //~ race total #1
  };
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    add(1);
#pragma omp task
    add(2);
  }
  return total == 3 ? 0 : 0;
}
