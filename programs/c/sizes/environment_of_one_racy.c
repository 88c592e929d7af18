// The environment asks for teams of one thread; other machines have larger ones.
// expect: race
// threads: 1
int counter;

int main(void) {
#pragma omp parallel
  counter++; //~ race counter #1
  return 0;
}
