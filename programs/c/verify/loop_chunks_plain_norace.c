// Threads take several chunks, in which they enter no section; each enters one before the loop.
// expect: race-free all-schedules
// run: race-free
// executions: 2
int n, a[8];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    n++;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 8; i++)
      a[i] = i;
  }
  return n != 2;
}
