// Iterations of a loop take numbers as they come. The one that gets the last number adds up what the others may still write.
// expect: race
// run: race-free
// executions: 3
int taken, part[3], total;

int main(void) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int i = 0; i < 3; i++) {
    int mine;
    if (i == 2)
      part[i] = i; //~ race part[] #1
#pragma omp critical
    mine = taken++;
    if (i != 2)
      part[i] = i;
    if (i == 0 && mine == 0)
      total = 0;
    else if (i == 1 && mine == 0)
      total = part[2]; //~ race part[] #1
  }
  return 0;
}
