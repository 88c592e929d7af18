// Vector code under masks: the lanes in the mask are accessed, and those alone.
// expect: race
// flags: -mavx2
#include <immintrin.h>

int a[8], b[8], c[8], d[64];

int main(void) {
  if (!__builtin_cpu_supports("avx2"))
    return 0;
  __m256i low = _mm256_setr_epi32(-1, -1, -1, -1, 0, 0, 0, 0), sum;
  __m256i apart = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      _mm256_maskstore_epi32(a, low, apart); //~ race a[] #1
      sum = _mm256_maskload_epi32(b, low); //~ race b[] #2
      sum = _mm256_add_epi32(sum, _mm256_mask_i32gather_epi32(sum, d, apart, low, 4)); //~ race d[] #3
      _mm256_storeu_si256((__m256i *)c, sum);
    }
#pragma omp section
    {
      a[3] = 1; //~ race a[] #1
      a[4] = 1;
      b[0] = 1; //~ race b[] #2
      b[5] = 1;
      d[24] = 1; //~ race d[] #3
      d[25] = d[32] = 1;
    }
  }
  return 0;
}
