// Strassen's product in Winograd's form, a promise for each product: the update of C21 reads the old C22, and nothing
// makes the update of C22 wait for it.
// expect: race
// args: 64 16
#include <assert.h>
#include <stdlib.h>

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
  char done; // the product that C22 begins with
  double *space = malloc(sizeof(double) * 11 * q);
  double *s1 = space, *s2 = s1 + q, *s3 = s2 + q, *s4 = s3 + q, *s5 = s4 + q, *s6 = s5 + q, *s7 = s6 + q;
  double *s8 = s7 + q, *m2 = s8 + q, *m5 = m2 + q, *t1 = m5 + q;

#pragma omp task depend(out : *s1)
  EACH(T(s1) = A(a21) + A(a22));
#pragma omp task depend(in : *s1) depend(out : *s2)
  EACH(T(s2) = T(s1) - A(a11));
#pragma omp task depend(out : *s3)
  EACH(T(s3) = A(a11) - A(a21));
#pragma omp task depend(in : *s2) depend(out : *s4)
  EACH(T(s4) = A(a12) - T(s2));
#pragma omp task depend(out : *s5)
  EACH(T(s5) = B(b12) - B(b11));
#pragma omp task depend(in : *s5) depend(out : *s6)
  EACH(T(s6) = B(b22) - T(s5));
#pragma omp task depend(out : *s7)
  EACH(T(s7) = B(b22) - B(b12));
#pragma omp task depend(in : *s6) depend(out : *s8)
  EACH(T(s8) = T(s6) - B(b21));

#pragma omp task depend(out : *m2)
  multiply(m2, h, a11, as, b11, bs, h);
#pragma omp task depend(in : *s1, *s5) depend(out : *m5)
  multiply(m5, h, s1, h, s5, h, h);
#pragma omp task depend(in : *s2, *s6) depend(out : *t1)
  multiply(t1, h, s2, h, s6, h, h);
#pragma omp task depend(in : *s3, *s7) depend(out : done)
  multiply(c22, cs, s3, h, s7, h, h);
#pragma omp task depend(out : *c11)
  multiply(c11, cs, a12, as, b21, bs, h);
#pragma omp task depend(in : *s4) depend(out : *c12)
  multiply(c12, cs, s4, h, b22, bs, h);
#pragma omp task depend(in : *s8) depend(out : *c21)
  multiply(c21, cs, a22, as, s8, h, h);

#pragma omp task depend(in : *m2) depend(inout : *c11)
  EACH(C(c11) += T(m2));
#pragma omp task depend(in : *m5, *t1, *m2) depend(inout : *c12)
  EACH(C(c12) += T(m5) + T(t1) + T(m2));
#pragma omp task depend(in : done, *t1, *m2) depend(inout : *c21)
  EACH(C(c21) = C(c22) + T(t1) + T(m2) - C(c21)); //~ race c[] #1
#pragma omp task depend(in : done, *m5, *t1, *m2)
  EACH(C(c22) += T(m5) + T(t1) + T(m2)); //~ race c[] #1
#pragma omp taskwait
  free(space);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  leaf = argc > 2 ? atoi(argv[2]) : 64;
  size_t bytes = sizeof(double) * n * n;
  double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * n + j] = (i + 2 * j) % 7;
      b[i * n + j] = (3 * i + j) % 5;
    }
#pragma omp parallel
#pragma omp single
  multiply(c, n, a, n, b, n, n);
  // C·x = A·(B·x), exactly, since all numbers are integers.
  double *y = malloc(sizeof(double) * n);
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
    assert(is == should);
  }
  free(a), free(b), free(c), free(y);
  return 0;
}
