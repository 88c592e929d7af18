// Every team has one thread, since the program says so: nothing ran in parallel.
// expect: inconclusive
// message: nothing ran in parallel: every parallel region had a team of one thread
int counter;

int main(void) {
#pragma omp parallel num_threads(1)
  counter++;
  return counter != 1;
}
