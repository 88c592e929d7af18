// A task and one that it does not wait for read at one place of the program; the taskwait orders the first of them only.
// expect: race
int x, seen[3];

__attribute__((noinline)) static void look(int who) { seen[who] = x; } //~ race x #1

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    look(0);
#pragma omp task
    {
#pragma omp task
      look(1);
      look(2);
    }
#pragma omp taskwait
    x = 1; //~ race x #1
  }
  return 0;
}
