// A local static is initialised by whoever comes first, once.
// expect: race-free all-schedules
// run: race-free
// executions: 10
int made;

struct Once {
  int value;
  Once() : value(++made) {}
};

static int get() {
  static Once once;
  return once.value;
}

int main() {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += get();
  return sum != 2 || made != 1;
}
