// The fast Fourier transform, recursive: a task for the even half down to a cut-off, and back again.
// expect: race-free all-schedules
// args: 1024
#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
  double re, im;
} Complex;

static Complex *roots;
static long whole;

// Transforms every stride-th element of `from` into `to`; `sign` -1 is the inverse, but for a factor.
static void transform(const Complex *from, Complex *to, long n, long stride, int sign) {
  if (n == 1) {
    *to = *from;
    return;
  }
  long h = n / 2;
  if (n > 256) {
#pragma omp task
    transform(from, to, h, 2 * stride, sign);
    transform(from + stride, to + h, h, 2 * stride, sign);
#pragma omp taskwait
  } else {
    transform(from, to, h, 2 * stride, sign);
    transform(from + stride, to + h, h, 2 * stride, sign);
  }
  for (long k = 0; k < h; k++) {
    Complex w = roots[k * stride], a = to[k], b = to[k + h];
    w.im *= sign;
    Complex t = {w.re * b.re - w.im * b.im, w.re * b.im + w.im * b.re};
    to[k] = (Complex){a.re + t.re, a.im + t.im};
    to[k + h] = (Complex){a.re - t.re, a.im - t.im};
  }
}

int main(int argc, char **argv) {
  whole = argc > 1 ? atol(argv[1]) : 1 << 20;
  Complex *data = malloc(sizeof(Complex) * whole), *there = malloc(sizeof(Complex) * whole);
  Complex *back = malloc(sizeof(Complex) * whole);
  roots = malloc(sizeof(Complex) * whole / 2);
  for (long k = 0; k < whole / 2; k++)
    roots[k] = (Complex){cos(2 * M_PI * k / whole), -sin(2 * M_PI * k / whole)};
  for (long i = 0; i < whole; i++)
    data[i] = (Complex){(double)(i % 17), (double)(i % 5)};
#pragma omp parallel
#pragma omp single
  {
    transform(data, there, whole, 1, 1);
    transform(there, back, whole, 1, -1);
  }
  for (long i = 0; i < whole; i++) {
    assert(fabs(back[i].re / whole - data[i].re) < 1e-6);
    assert(fabs(back[i].im / whole - data[i].im) < 1e-6);
  }
  free(data), free(there), free(back), free(roots);
  return 0;
}
