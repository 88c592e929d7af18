// The last one to write wins, and it need not be the last in the program.
// expect: program-error
// run: race-free
// executions: 6
// message: exit status 1
int last;

int main(void) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int i = 1; i <= 3; i++) {
#pragma omp critical
    last = i;
  }
  return last != 3;
}
