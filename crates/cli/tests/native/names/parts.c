// Structures that end in an array, and arrays of variable length: the name after `names:` on the line of an access. Every access is made by two threads at once.
#include <stdlib.h>

struct item { int n; double w; };
struct items { int count; struct item data[]; };
struct words { long count; int data[]; };
struct old { long count; int data[0]; };
struct wrapped { struct words words; };

static void rows(int n, int (*a)[n], struct item *restrict p) {
  a[1][2] = 1;                  // names: a[1][2]
  p[3].w = 1;                   // names: p[3].w
}

int main(int argc, char **argv) {
  int n = argc + 9;
  struct items *items = malloc(sizeof *items + n * sizeof(struct item));
  struct words *words = malloc(sizeof *words + n * sizeof(int));
  struct old *old = malloc(sizeof *old + n * sizeof(int));
  struct wrapped *wrapped = malloc(sizeof *wrapped + n * sizeof(int));
  int line[n], table[n][n + 1], lines[n][5];
  struct item boxes[n];
  volatile int k = 3;
#pragma omp parallel num_threads(2)
  {
    items->count = 1;           // names: items->count
    items->data[7].n = 1;       // names: items->data[7].n
    items->data[k].w = 1;       // names: items->data[3].w
    words->data[0] = 1;         // names: words->data[0]
    words->data[7] = 1;         // names: words->data[7]
    words->data[k] = 1;         // names: words->data[3]
    old->data[7] = 1;           // names: old->data[7]
    wrapped->words.data[2] = 1; // names: wrapped->words.data[2]
    line[0] = 1;                // names: line
    line[4] = 1;                // names: line[4]
    line[k] = 1;                // names: line[k]
    *(&line[5] + k) = 1;        // names: a local variable
    table[2][3] = 1;            // names: table[2][3]
    table[k][k] = 1;            // names: table[k][k]
    lines[2][3] = 1;            // names: lines[2][3]
    lines[k][k] = 1;            // names: lines[k][k]
    boxes[2].w = 1;             // names: boxes[2].w
    boxes[k].n = 1;             // names: boxes[k].n
  }
#pragma omp parallel num_threads(2)
  rows(5, lines, boxes);
  return argv == 0;
}
