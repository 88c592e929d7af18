// Every team has one thread: the run says nothing about the race that larger teams have.
// expect: inconclusive
// message: nothing ran in parallel: every parallel region had a team of one thread
// threads: 1
int counter;

int main(void) {
#pragma omp parallel
  counter++;
  return counter != 1;
}
