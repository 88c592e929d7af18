int x;
int main(void) {
#pragma omp parallel num_threads(2)
  x++;
  return 0;
}
