// The section leaves out the last bucket, which stays shared.
// expect: race
#define N 40

int *histogram, buckets[8];

int main(void) {
  histogram = buckets;
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < N; i++)
    histogram[i % 8]++; //~ race histogram[] #1
  return 0;
}
