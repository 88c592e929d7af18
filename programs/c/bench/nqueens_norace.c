// Places queens row by row, a task for each place, with a copy of the board.
// expect: race-free all-schedules
// args: 6
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#define MOST 16

static int n;

static int safe(const char *board, int row, int column) {
  for (int i = 0; i < row; i++)
    if (board[i] == column || abs(board[i] - column) == row - i)
      return 0;
  return 1;
}

static int place(const char *board, int row) {
  if (row == n)
    return 1;
  int found[MOST] = {0}, all = 0;
  for (int column = 0; column < n; column++)
    if (safe(board, row, column)) {
#pragma omp task shared(found)
      {
        char mine[MOST];
        memcpy(mine, board, row);
        mine[row] = (char)column;
        found[column] = place(mine, row + 1);
      }
    }
#pragma omp taskwait
  for (int column = 0; column < n; column++)
    all += found[column];
  return all;
}

int main(int argc, char **argv) {
  static const int solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
  n = argc > 1 ? atoi(argv[1]) : 12;
  assert(n <= 12);
  char board[MOST];
  int found;
#pragma omp parallel
#pragma omp single
  found = place(board, 0);
  assert(found == solutions[n]);
  return 0;
}
