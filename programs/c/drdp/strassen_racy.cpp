// Strassen's product in Winograd's form: a promise for each product: the update of C21 reads the old C22, and nothing makes
// the update of C22 wait for it (as in a public port of DRDP's strassen).
// expect: race
// args: 64 16
#include "hclib_cpp.h"
#include <cassert>
#include <cstdlib>
#include <initializer_list>

static int leaf;

static void product(double *c, int cs, const double *a, int as, const double *b, int bs, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * as + k] * b[k * bs + j];
      c[i * cs + j] = sum;
    }
}

#define EACH(statement)                                                                                      \
  for (int i = 0; i < h; i++)                                                                                \
    for (int j = 0; j < h; j++)                                                                              \
  statement
#define A(m) m[i * as + j]
#define B(m) m[i * bs + j]
#define C(m) m[i * cs + j]
#define T(m) m[i * h + j]

// C = A·B; each matrix with the length of its rows.
static void multiply(double *c, int cs, const double *a, int as, const double *b, int bs, int n) {
  if (n <= leaf) {
    product(c, cs, a, as, b, bs, n);
    return;
  }
  int h = n / 2;
  const double *a11 = a, *a12 = a + h, *a21 = a + h * as, *a22 = a21 + h;
  const double *b11 = b, *b12 = b + h, *b21 = b + h * bs, *b22 = b21 + h;
  double *c11 = c, *c12 = c + h, *c21 = c + h * cs, *c22 = c21 + h;
  long q = (long)h * h;
  double *space = (double *)malloc(sizeof(double) * 11 * q);
  double *s1 = space, *s2 = s1 + q, *s3 = s2 + q, *s4 = s3 + q, *s5 = s4 + q, *s6 = s5 + q, *s7 = s6 + q;
  double *s8 = s7 + q, *m2 = s8 + q, *m5 = m2 + q, *t1 = m5 + q;

  // What a task has written, each array by a promise: the sums, the products, and the products that C begins with.
  enum { S1, S2, S3, S4, S5, S6, S7, S8, M2, M5, T1, P11, P12, P21, P22, COUNT };
  hclib::promise_t<void> done[COUNT];
  auto after = [&](std::initializer_list<int> promises) {
    std::vector<hclib_future_t *> futures;
    for (int promise : promises)
      futures.push_back(done[promise].get_future());
    return futures;
  };
#define TASK(promise, awaited, work)                                                                         \
  hclib::async_await([=, &done]() { work; done[promise].put(); }, after awaited)
  hclib::finish([&]() {
    TASK(S1, ({}), EACH(T(s1) = A(a21) + A(a22)));
    TASK(S2, ({S1}), EACH(T(s2) = T(s1) - A(a11)));
    TASK(S3, ({}), EACH(T(s3) = A(a11) - A(a21)));
    TASK(S4, ({S2}), EACH(T(s4) = A(a12) - T(s2)));
    TASK(S5, ({}), EACH(T(s5) = B(b12) - B(b11)));
    TASK(S6, ({S5}), EACH(T(s6) = B(b22) - T(s5)));
    TASK(S7, ({}), EACH(T(s7) = B(b22) - B(b12)));
    TASK(S8, ({S6}), EACH(T(s8) = T(s6) - B(b21)));

    TASK(M2, ({}), multiply(m2, h, a11, as, b11, bs, h));
    TASK(M5, ({S1, S5}), multiply(m5, h, s1, h, s5, h, h));
    TASK(T1, ({S2, S6}), multiply(t1, h, s2, h, s6, h, h));
    TASK(P22, ({S3, S7}), multiply(c22, cs, s3, h, s7, h, h));
    TASK(P11, ({}), multiply(c11, cs, a12, as, b21, bs, h));
    TASK(P12, ({S4}), multiply(c12, cs, s4, h, b22, bs, h));
    TASK(P21, ({S8}), multiply(c21, cs, a22, as, s8, h, h));

    hclib::async_await([=]() { EACH(C(c11) += T(m2)); }, after({P11, M2}));
    hclib::async_await([=]() { EACH(C(c12) += T(m5) + T(t1) + T(m2)); }, after({P12, M5, T1, M2}));
    hclib::async_await([=]() {
      EACH(C(c21) = C(c22) + T(t1) + T(m2) - C(c21)); //~ race c[] #1
    }, after({P21, P22, T1, M2}));
    hclib::async_await([=]() {
      EACH(C(c22) += T(m5) + T(t1) + T(m2)); //~ race c[] #1
    }, after({P22, M5, T1, M2}));
  });
  free(space);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  leaf = argc > 2 ? atoi(argv[2]) : 64;
  size_t bytes = sizeof(double) * n * n;
  double *a = (double *)malloc(bytes), *b = (double *)malloc(bytes), *c = (double *)malloc(bytes);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * n + j] = (i + 2 * j) % 7;
      b[i * n + j] = (3 * i + j) % 5;
    }
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [=]() { multiply(c, n, a, n, b, n, n); });
  // C·x = A·(B·x), exactly, since all numbers are integers.
  double *y = (double *)malloc(sizeof(double) * n);
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++)
      y[i] += b[i * n + j] * (j % 3);
  }
  for (int i = 0; i < n; i++) {
    double is = 0, should = 0;
    for (int j = 0; j < n; j++) {
      is += c[i * n + j] * (j % 3);
      should += a[i * n + j] * y[j];
    }
    if (is < 0 || should < 0)
      abort();
  }
  free(a), free(b), free(c), free(y);
  return 0;
}
