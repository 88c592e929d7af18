// Two tasks read at one place of the program, and one of them leaves a task behind that reads something else.
// expect: race-free all-schedules
int x, y, seen[3];

__attribute__((noinline)) static void look(int who, const int *at) { seen[who] = *at; }

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    look(0, &x);
#pragma omp task
    {
#pragma omp task
      look(1, &y);
      look(2, &x);
    }
#pragma omp taskwait
    x = 1;
  }
  return 0;
}
