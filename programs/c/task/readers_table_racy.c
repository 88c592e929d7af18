// Very many tasks read a table; one that none of them is waited for by writes to it.
// expect: race
#define N 8

int table[N];

static int sum(int at) {
  if (at == N)
    return 0;
  int left, right;
#pragma omp task shared(left)
  left = sum(at + 1) + table[at]; //~ race table[] #1
  right = sum(at + 1);
#pragma omp taskwait
  return left + right;
}

int main(void) {
  int total = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(total)
    total = sum(0);
    table[3] = 1; //~ race table[] #1
  }
  return total > 100;
}
