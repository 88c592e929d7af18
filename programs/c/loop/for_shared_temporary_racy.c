// A temporary declared outside the loop is shared.
// expect: race
#define N 40

int temporary;
int a[N];

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++) {
    temporary = a[i] * 2; //~ race temporary #1 #2
#pragma omp taskyield
    a[i] = temporary + 1; //~ race temporary #1
  }
  return 0;
}
