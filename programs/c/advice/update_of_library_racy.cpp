// The `+=` is a function of the standard library: neither `reduction` nor `atomic` takes it.
// expect: race
// advice: ordered critical
// holds: critical
// prints: 45 10
#include <complex>
#include <cstdio>

int main() {
  std::complex<double> sum = 0;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 10; i++)
    sum += std::complex<double>(i, 1); //~ race sum #1
  std::printf("%g %g\n", sum.real(), sum.imag());
  return 0;
}
