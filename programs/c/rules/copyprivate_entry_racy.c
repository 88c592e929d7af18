// A single has no barrier at its entry: what it copies may still be written.
// expect: race
int shared, seen;

int main(void) {
#pragma omp parallel
  {
    int own;
#pragma omp masked
    shared = 1; //~ race shared #1
#pragma omp single copyprivate(own)
    own = shared; //~ race shared #1
    if (own > 1)
      seen = own;
  }
  return 0;
}
