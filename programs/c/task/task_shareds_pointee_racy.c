// What a task is given is its own; what that leads to is shared.
// expect: race
struct pair {
  int *to, count;
};

int target;

int main(void) {
  int local = 0;
  struct pair pair = {&target, 2};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(pair) shared(local)
    {
      *pair.to += pair.count; //~ race target #1
      local = i; //~ race local #2
    }
  }
  return local > 1;
}
