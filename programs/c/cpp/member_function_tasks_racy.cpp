// Tasks in a member function share the object through this.
// expect: race
struct Grid {
  int cells[4] = {0}, steps = 0;
  void step() {
    for (int i = 0; i < 4; i++) {
#pragma omp task
      {
        cells[i]++;
        steps++; //~ race grid.steps #1
      }
    }
#pragma omp taskwait
  }
};

Grid grid;

int main() {
#pragma omp parallel
#pragma omp single
  grid.step();
  return 0;
}
