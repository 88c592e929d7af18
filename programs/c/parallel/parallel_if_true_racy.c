// With a true condition the clause changes nothing.
// expect: race
int counter;

int main(int argc, char **argv) {
  (void)argv;
#pragma omp parallel if (argc > 0) num_threads(2)
  counter++; //~ race counter #1
  return 0;
}
