// Each task offers the maximum of its part; sections that only look are not reordered.
// Source: Ogles, Aldous, Mercer (from DualSPHysics).
// expect: race-free all-schedules
// run: race-free
// executions: 15
// twin: examples/findmax
enum { TASKS = 4, CHUNK = 2 };
int max, data[TASKS * CHUNK];

int main(void) {
  for (int i = 0; i < TASKS * CHUNK; i++)
    data[i] = 1 + i * 7 % 11;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int t = 0; t < TASKS; t++) {
#pragma omp task
    {
      int local = data[t * CHUNK];
      for (int i = t * CHUNK + 1; i < (t + 1) * CHUNK; i++)
        if (data[i] > local)
          local = data[i];
#pragma omp critical
      if (local > max)
        max = local;
    }
  }
  return max != 11;
}
