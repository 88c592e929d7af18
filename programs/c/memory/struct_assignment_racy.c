// A struct is copied while one of its fields is written.
// expect: race
struct point {
  double x, y, z;
  int id[6];
};
struct point from, to;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    to = from; //~ race from #1
#pragma omp task
    from.id[5] = 1; //~ race from #1
  }
  return 0;
}
