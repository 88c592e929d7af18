// What follows the ordered region is outside of it.
// expect: race
#define N 20

int used, seen[N];

int main(void) {
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < N; i++) {
#pragma omp ordered
    used = i;       //~ race used #1
    seen[i] = used; //~ race used #1
  }
  return 0;
}
