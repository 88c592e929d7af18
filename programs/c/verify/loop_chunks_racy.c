// Threads take several chunks of a loop. Whoever adds last, by the count under the lock, clears what the others may still write.
// expect: race
// run: race-free
// executions: 49
int count, seen[6];

__attribute__((noinline)) static void mark(int i) {
  seen[i] = 1; //~ race seen[] #1
}

int main(void) {
#pragma omp parallel for num_threads(3) schedule(dynamic)
  for (int i = 0; i < 6; i++) {
    int mine;
#pragma omp critical
    mine = count++;
    if (i == 0 && mine == 1)
      mark(1);
    else if (i == 1)
      seen[1] = 2; //~ race seen[] #1
  }
  return 0;
}
