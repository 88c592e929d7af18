// Two loops in one: the row above is read.
// expect: race
float grid[8][16];

int main(void) {
#pragma omp simd collapse(2)
  for (int i = 1; i < 8; i++)
    for (int j = 0; j < 16; j++)
      grid[i][j] = grid[i - 1][j] + 1; //~ race grid[] #1
  return 0;
}
