// The input comes to no parallel region.
// expect: inconclusive
// message: nothing ran in parallel: the program came to no parallel region
int counter;

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
#pragma omp parallel
    counter++;
  }
  return 0;
}
