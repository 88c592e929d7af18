// Every iteration of a guided loop keeps the largest value seen.
// expect: race
#define N 40

int largest;
int a[N];

int main(void) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < N; i++) {
    if (a[i] >= largest) //~ race largest #1
      largest = a[i];    //~ race largest #1 #2
  }
  return 0;
}
