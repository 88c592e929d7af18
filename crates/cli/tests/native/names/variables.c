// Names that need no pass: variables, and their parts. As objects.c.
struct body { double mass; double v[3]; };

int global;
static struct body bodies[8];

static void statics(void) {
  static int calls;
  calls += 1;              // names: calls
}

__attribute__((noinline)) static void first(int *at) {
  *at += 1;                // names: early
}

__attribute__((noinline)) static void second(int *at) {
  *at += 1;                // names: late
}

int main(void) {
  int s = 0, grid[3][5] = {{0}};
  struct body w = {0};
#pragma omp parallel num_threads(2)
  {
    int k = 1;
    s += 1;                // names: s
    w.v[k] += 1;           // names: w.v[1]
    grid[k + 1][k] += 1;   // names: grid[2][1]
    global += 1;           // names: global
    bodies[k + 3].v[k] += 1; // names: bodies[4].v[1]
    statics();
  }
  // In optimised code the two are at one place.
  {
    int early = 0;
#pragma omp parallel num_threads(2)
    first(&early);
    s += early;
  }
  {
    int late = 0;
#pragma omp parallel num_threads(2)
    second(&late);
    s += late;
  }
  return s == 12345;
}
