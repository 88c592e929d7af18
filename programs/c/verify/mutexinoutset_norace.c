// Three tasks that exclude each other by a dependence: six orders.
// expect: race-free all-schedules
// run: race-free
// executions: 6
int m, sum;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 1; i <= 3; i++) {
#pragma omp task depend(mutexinoutset : m)
    sum = sum * 2 + i;
  }
  return sum == 0;
}
