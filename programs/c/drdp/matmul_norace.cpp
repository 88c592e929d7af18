// C += A·B on blocks in Z-order: eight recursive products in two finishes of four (DRDP's matmul, on HClib).
// expect: race-free all-schedules
// args: 64 16
#include "hclib_cpp.h"
#include <cassert>
#include <cstdlib>

static int leaf;

// The element (i, j) of an n × n matrix: quadrants one after the other, rows inside a leaf.
static long place(int n, int i, int j) {
  long at = 0;
  while (n > leaf) {
    n /= 2;
    at += (long)n * n * (2 * (i >= n) + (j >= n));
    i %= n;
    j %= n;
  }
  return at + (long)i * n + j;
}

static void product(double *c, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = c[i * n + j];
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

static void multiply(double *c, const double *a, const double *b, int n) {
  if (n <= leaf) {
    product(c, a, b, n);
    return;
  }
  long q = (long)n * n / 4;
  const double *a2 = a + q, *a3 = a + 2 * q, *a4 = a + 3 * q;
  const double *b2 = b + q, *b3 = b + 2 * q, *b4 = b + 3 * q;
  double *c2 = c + q, *c3 = c + 2 * q, *c4 = c + 3 * q;
  hclib::finish([=]() {
    hclib::async([=]() { multiply(c, a, b, n / 2); });
    hclib::async([=]() { multiply(c2, a, b2, n / 2); });
    hclib::async([=]() { multiply(c3, a3, b, n / 2); });
    multiply(c4, a3, b2, n / 2);
  });
  hclib::finish([=]() {
    hclib::async([=]() { multiply(c, a2, b3, n / 2); });
    hclib::async([=]() { multiply(c2, a2, b4, n / 2); });
    hclib::async([=]() { multiply(c3, a4, b3, n / 2); });
    multiply(c4, a4, b4, n / 2);
  });
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  leaf = argc > 2 ? atoi(argv[2]) : 64;
  size_t bytes = sizeof(double) * n * n;
  double *a = (double *)malloc(bytes), *b = (double *)malloc(bytes), *c = (double *)malloc(bytes);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      long at = place(n, i, j);
      a[at] = (i + 2 * j) % 7;
      b[at] = (3 * i + j) % 5;
      c[at] = 0;
    }
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [=]() { multiply(c, a, b, n); });
  // C·x = A·(B·x), exactly, since all numbers are small integers.
  double *y = (double *)malloc(sizeof(double) * n);
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++)
      y[i] += b[place(n, i, j)] * (j % 3);
  }
  for (int i = 0; i < n; i++) {
    double is = 0, should = 0;
    for (int j = 0; j < n; j++) {
      is += c[place(n, i, j)] * (j % 3);
      should += a[place(n, i, j)] * y[j];
    }
    assert(is == should);
  }
  free(a), free(b), free(c), free(y);
  return 0;
}
