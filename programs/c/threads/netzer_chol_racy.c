// Sparse Cholesky factorisation in small: every column to the left subtracts its part from the last column under that column's lock. One
// synchronisation is missing: the second column's thread takes no lock. As programs/tp/examples/netzer_chol.tp.
// Source: after Netzer's test program chol.
// expect: race
#include <pthread.h>

pthread_mutex_t column = PTHREAD_MUTEX_INITIALIZER;
int left[4], last[2];

static void subtract(int k) {
  for (int r = 0; r < 2; r++)
    last[r] = last[r] - left[k * 2 + r]; //~ race last[] #1
}

static void *first(void *unused) {
  pthread_mutex_lock(&column);
  subtract(0);
  pthread_mutex_unlock(&column);
  return unused;
}

static void *second(void *unused) {
  subtract(1);
  return unused;
}

int main(void) {
  pthread_t a, b;
  for (int i = 0; i < 4; i++)
    left[i] = i + 1;
  for (int r = 0; r < 2; r++)
    last[r] = 10;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
