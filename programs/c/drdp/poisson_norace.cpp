// Jacobi's iteration, a task for each row: copies, then stencils, a promise for each version of a row (DRDP's poisson,
// on HClib).
// expect: race-free all-schedules
// args: 48 3 16
#include "hclib_cpp.h"
#include <cassert>
#include <cstdlib>
#include <vector>

static int n, iterations;
static double *u, *unew, *f;
#define ROW(m, i) (m + (long)(i) * n)

static double begin(int i, int j) { return i == 0 || j == 0 || i == n - 1 || j == n - 1 ? (i * 7 + j) % 11 : 0; }
static double force(int i, int j) { return begin(i, j) + (i + j) % 3; }

static void initialise(int from, int to) {
  for (int i = from; i < to; i++)
    for (int j = 0; j < n; j++) {
      ROW(unew, i)[j] = begin(i, j);
      ROW(f, i)[j] = force(i, j);
    }
}

static void copy(int i) {
  for (int j = 0; j < n; j++)
    ROW(u, i)[j] = ROW(unew, i)[j];
}

static void stencil(int i) {
  for (int j = 0; j < n; j++)
    if (i == 0 || j == 0 || i == n - 1 || j == n - 1)
      ROW(unew, i)[j] = ROW(f, i)[j];
    else
      ROW(unew, i)[j] =
          0.25 * (ROW(u, i - 1)[j] + ROW(u, i)[j - 1] + ROW(u, i)[j + 1] + ROW(u, i + 1)[j] + ROW(f, i)[j]);
}

static void sweep() {
  // The versions of the rows of u and unew: each iteration has its own promises.
  long count = (long)n * iterations;
  hclib::promise_t<void> *copied = new hclib::promise_t<void>[count], *computed = new hclib::promise_t<void>[count];
  hclib::finish([=]() {
    std::vector<hclib_future_t *> before;
    for (int k = 0; k < iterations; k++) {
      hclib::promise_t<void> *own = copied + (long)k * n, *next = computed + (long)k * n;
      for (int i = 0; i < n; i++) {
        int above = i > 0 ? i - 1 : 0, below = i < n - 1 ? i + 1 : n - 1;
        before.clear();
        if (k > 0)
          // The stencils that read what is overwritten; one of them has made what is copied.
          before = {(next - n)[above].get_future(), (next - n)[i].get_future(), (next - n)[below].get_future()};
        hclib::async_await([=]() { copy(i); own[i].put(); }, before);
      }
      for (int i = 0; i < n; i++) {
        int above = i > 0 ? i - 1 : 0, below = i < n - 1 ? i + 1 : n - 1;
        before = {own[above].get_future(), own[i].get_future(), own[below].get_future()};
        hclib::async_await([=]() { stencil(i); next[i].put(); }, before);
      }
    }
  });
  delete[] copied;
  delete[] computed;
}

// What (i, j) has to be in the end, from the square that it depends on.
static double alone(int ci, int cj) {
  int width = 2 * iterations + 1;
  double *now = (double *)malloc(sizeof(double) * width * width), *next = (double *)malloc(sizeof(double) * width * width);
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++)
      now[i * width + j] = begin(ci - iterations + i, cj - iterations + j);
  for (int k = 1; k <= iterations; k++) {
    for (int i = k; i < width - k; i++)
      for (int j = k; j < width - k; j++)
        next[i * width + j] = 0.25 * (now[(i - 1) * width + j] + now[i * width + j - 1] + now[i * width + j + 1] +
                                      now[(i + 1) * width + j] + force(ci - iterations + i, cj - iterations + j));
    double *swap = now;
    now = next, next = swap;
  }
  double result = now[iterations * width + iterations];
  free(now), free(next);
  return result;
}

int main(int argc, char **argv) {
  n = argc > 1 ? atoi(argv[1]) : 2048;
  iterations = argc > 2 ? atoi(argv[2]) : 12;
  int block = argc > 3 ? atoi(argv[3]) : 128;
  size_t bytes = sizeof(double) * n * n;
  u = (double *)malloc(bytes), unew = (double *)malloc(bytes), f = (double *)malloc(bytes);
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [=]() {
    hclib::finish([=]() {
      for (int i = 0; i < n; i += block)
        hclib::async([=]() { initialise(i, i + block < n ? i + block : n); });
    });
    sweep();
  });
  assert(ROW(unew, n / 2)[n / 2] == alone(n / 2, n / 2));
  assert(ROW(unew, iterations + 1)[n / 3] == alone(iterations + 1, n / 3));
  free(u), free(unew), free(f);
  return 0;
}
