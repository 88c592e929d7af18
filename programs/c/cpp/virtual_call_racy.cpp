// Two tasks change one object through a virtual function.
// expect: race
struct Counter {
  virtual ~Counter() = default;
  virtual void step() = 0;
};
struct Plain : Counter {
  int value = 0;
  void step() override {
    value++; //~ race plain #1
  }
};

int main() {
  Plain plain;
  Counter *counter = &plain;
#pragma omp parallel num_threads(2)
  counter->step();
  return 0;
}
