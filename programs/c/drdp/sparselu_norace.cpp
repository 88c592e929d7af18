// LU decomposition of a sparse matrix of blocks, a promise for each block of a step, and a join at its end (DRDP's sparselu,
// on HClib).
// expect: race-free all-schedules
// args: 10 8
#include "hclib_cpp.h"
#include <cassert>
#include <cmath>
#include <cstdlib>

static int blocks, size;
static float **matrix;
#define BLOCK(i, j) matrix[(i) * blocks + (j)]

static int absent(int i, int j) {
  if (abs(i - j) <= 1)
    return 0;
  return i % 2 == 1 || j % 2 == 1 || (i < j && i % 3 != 0) || (i > j && j % 3 != 0);
}

// The element (i, j) of the whole matrix; the diagonal dominates, so that no pivot is needed.
static float value(int i, int j) {
  return i == j ? 4.0f * size : (float)((i * 37 + j * 11) % 64 - 32) / 64;
}

static void lu0(float *diag) {
  for (int k = 0; k < size; k++)
    for (int i = k + 1; i < size; i++) {
      diag[i * size + k] /= diag[k * size + k];
      for (int j = k + 1; j < size; j++)
        diag[i * size + j] -= diag[i * size + k] * diag[k * size + j];
    }
}

static void fwd(const float *diag, float *col) {
  for (int k = 0; k < size; k++)
    for (int i = k + 1; i < size; i++)
      for (int j = 0; j < size; j++)
        col[i * size + j] -= diag[i * size + k] * col[k * size + j];
}

static void bdiv(const float *diag, float *row) {
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      row[i * size + k] /= diag[k * size + k];
      for (int j = k + 1; j < size; j++)
        row[i * size + j] -= row[i * size + k] * diag[k * size + j];
    }
}

static void bmod(const float *row, const float *col, float *inner) {
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++)
      for (int j = 0; j < size; j++)
        inner[i * size + j] -= row[i * size + k] * col[k * size + j];
}

static void decompose() {
  for (int k = 0; k < blocks; k++) {
    // A promise for the block on the diagonal, and for each of its row and column.
    hclib::promise_t<void> diagonal, *right = new hclib::promise_t<void>[blocks], *below = new hclib::promise_t<void>[blocks];
    hclib::finish([&]() {
      float *diag = BLOCK(k, k);
      hclib::async([=, &diagonal]() { lu0(diag); diagonal.put(); });
      for (int j = k + 1; j < blocks; j++)
        if (float *col = BLOCK(k, j))
          hclib::async_await([=]() { fwd(diag, col); right[j].put(); }, diagonal.get_future());
      for (int i = k + 1; i < blocks; i++)
        if (float *row = BLOCK(i, k))
          hclib::async_await([=]() { bdiv(diag, row); below[i].put(); }, diagonal.get_future());
      for (int i = k + 1; i < blocks; i++) {
        float *row = BLOCK(i, k);
        for (int j = k + 1; row && j < blocks; j++) {
          float *col = BLOCK(k, j);
          if (!col)
            continue;
          if (!BLOCK(i, j))
            BLOCK(i, j) = (float *)calloc(size * size, sizeof(float));
          float *inner = BLOCK(i, j);
          hclib::async_await([=]() { bmod(row, col, inner); }, below[i].get_future(), right[j].get_future());
        }
      }
    });
    delete[] right;
    delete[] below;
  }
}

// L·U·x = A·x, but for rounding.
static void check(void) {
  int n = blocks * size;
  double *y = (double *)calloc(n, sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      if (BLOCK(i / size, j / size))
        y[i] += BLOCK(i / size, j / size)[i % size * size + j % size] * (1 + j % 3);
  for (int i = 0; i < n; i++) {
    double is = y[i], should = 0;
    for (int j = 0; j < n; j++) {
      if (j < i && BLOCK(i / size, j / size))
        is += BLOCK(i / size, j / size)[i % size * size + j % size] * y[j];
      if (!absent(i / size, j / size))
        should += value(i, j) * (1 + j % 3);
    }
    assert(fabs(is - should) <= 1e-3 * (fabs(should) + size));
  }
  free(y);
}

int main(int argc, char **argv) {
  blocks = argc > 1 ? atoi(argv[1]) : 96;
  size = argc > 2 ? atoi(argv[2]) : 32;
  matrix = (float **)calloc(blocks * blocks, sizeof(float *));
  for (int i = 0; i < blocks; i++)
    for (int j = 0; j < blocks; j++)
      if (!absent(i, j)) {
        float *block = BLOCK(i, j) = (float *)malloc(sizeof(float) * size * size);
        for (int at = 0; at < size * size; at++)
          block[at] = value(i * size + at / size, j * size + at % size);
      }
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [=]() { decompose(); });
  check();
  for (int at = 0; at < blocks * blocks; at++)
    free(matrix[at]);
  free(matrix);
  return 0;
}
