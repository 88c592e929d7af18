// Two threads take two chunks each of a loop, and each iteration enters a section: the orders of two and two sections, under each of four assignments of chunks.
// expect: race-free
// run: race-free
// executions: 24
int sum, part[4];

int main(void) {
#pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 4; i++) {
    part[i] = i;
#pragma omp critical
    sum = sum * 2 + part[i];
  }
  return sum < 0;
}
