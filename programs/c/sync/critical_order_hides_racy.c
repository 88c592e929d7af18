// One critical region always comes first, but that orders nothing the two do not share.
// expect: race
int x, y, z, copy;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      x = 1; //~ race x #1
#pragma omp critical
      y += 1;
    }
#pragma omp section
    {
#pragma omp critical
      z += 2;
      copy = x; //~ race x #1
    }
  }
  return 0;
}
