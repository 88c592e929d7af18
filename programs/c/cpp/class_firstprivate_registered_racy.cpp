// Copies make themselves known when they are made, by the creator: another task finds the copy of this one.
// expect: race
static struct Counter *last;

struct Counter {
  int n = 0;
  Counter() = default;
  Counter(const Counter &other) : n(other.n) { last = this; }
};

int seen;

int main() {
  Counter counter;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task firstprivate(counter)
    {
      counter.n += 2; //~ race counter.n #1
#pragma omp taskyield
      seen = counter.n; //~ race? counter.n #2
    }
    last->n = 1; //~ race counter.n #1 race? counter.n #2
  }
  return 0;
}
