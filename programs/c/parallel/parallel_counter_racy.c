// Every thread of the team increments a shared counter.
// expect: race
int counter;

int main(void) {
#pragma omp parallel
  counter++; //~ race counter #1
  return 0;
}
