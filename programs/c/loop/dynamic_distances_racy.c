// Pairs of iterations at every distance, of a dynamic loop with chunks of two: each pair shares a cell.
// expect: race
#define N 48

int shared[N];
int a[N];

int main(void) {
#pragma omp parallel for schedule(dynamic, 2) num_threads(2)
  for (int i = 0; i < N; i++) {
    int other = i < N / 2 ? i : N - 1 - i;
    shared[other] += i; //~ race shared[] #1
    a[i] = other;
  }
  return 0;
}
