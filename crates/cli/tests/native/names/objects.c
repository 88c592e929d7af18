// What reports call memory: the name after `names:` on the line of an access. Every access is made by two threads at once.
#include <stdlib.h>

struct inner { int z[3]; };
struct body { double mass; double v[3]; struct inner in; };
struct node { struct node *next; int count; };
struct matrix { int rows; int *data; };
union word { int number; float fraction; };
struct tagged { int tag; union { int small; double big; }; };
struct flags { unsigned a : 3, b : 5; int after; };
typedef struct body planet;

int global;
static int counter;
int table[10];
int grid[4][6];
struct body sun;
static struct body bodies[8];
union word either;
struct tagged pair;
struct flags flags;
struct { struct { int deep; } in; } nested;
int *shared_pointer;
_Thread_local int per_thread;
int private_copy;
#pragma omp threadprivate(private_copy)

#define BUMP(x) (x) += 1

static int one(void) { return 1; }

void through(int *p, struct body *b, struct node *n, struct matrix *m, int k, int **pp, planet *q) {
  *p += 1;                 // names: local
  b->mass += 1;            // names: b->mass
  b->v[k] += 1;            // names: b->v[k]
  b[1].v[2] += 1;          // names: b[1].v[2]
  n->count += 1;           // names: n->count
  n->next->count += 1;     // names: n->next->count
  m->data[k + 1] += 1;     // names: m->data[k + 1]
  m->data[6] += 1;         // names: m->data[6]
  m->rows += 1;            // names: m.rows
  **pp += 1;               // names: **pp
  (*pp)[4] += 1;           // names: (*pp)[4]
  q->in.z[1] += 1;         // names: q->in.z[1]
}

static inline int *slot(struct matrix *m, int i) { return &m->data[i]; }

static inline void inlined(struct node *item) {
  item->count += 1;        // names: item->count
}

void statics(void) {
  static int calls;
  static struct node last;
  calls += 1;              // names: calls
  last.count += 1;         // names: last.count
}

int fib(int n) {
  int x, y;
  if (n < 2)
    return n;
#pragma omp task shared(x)
  x = fib(n - 1);          // names: x
#pragma omp task shared(y)
  y = fib(n - 2);          // names: y
  return x + y;            // names: x; y
}

int main(int argc, char **argv) {
  int n = argc + 6;
  int s = 0, local = 0, bins[10] = {0}, board[3][5] = {{0}};
  int vla[n], wide[4][n];
  for (int i = 0; i < n; i++)
    vla[i] = wide[1][i] = 0;
  struct body w = {0};
  struct tagged t = {0};
  struct body *heap = calloc(4, sizeof *heap);
  struct node *list = calloc(1, sizeof *list);
  list->next = calloc(1, sizeof *list);
  struct node *extra = calloc(1, sizeof *extra), *other = calloc(1, sizeof *other);
  struct matrix m = {1, calloc(8, sizeof(int))};
  int *cells = calloc(16, sizeof *cells);
  int *turned = calloc(8, sizeof *turned);
  turned++;
  shared_pointer = calloc(4, sizeof(int));
  union word u = {0};
  int (*rows)[4] = calloc(3, sizeof *rows);
#pragma omp parallel num_threads(2)
  {
    int k = 1;
    s += 1;                // names: s
    w.mass += 1;           // names: w.mass
    w.v[k] += 1;           // names: w.v[1]
    w.in.z[2] += 1;        // names: w.in.z[2]
    bins[3] += 1;          // names: bins[3]
    bins[k + 4] += 1;      // names: bins[5]
    board[k + 1][k] += 1;  // names: board[2][1]
    vla[k + 1] += 1;       // names: vla[k + 1]
    wide[k][k + 2] += 1;   // names: wide[k][k + 2]
    t.tag += 1;            // names: t.tag
    t.big += 1;            // names: t.big
    u.fraction += 1;       // names: u.fraction
    global += 1;           // names: global
    counter += 1;          // names: counter
    table[k] += 1;         // names: table[1]
    grid[k + 1][k + 4] += 1; // names: grid[2][5]
    sun.v[k] += 1;         // names: sun.v[1]
    bodies[k + 3].v[k] += 1; // names: bodies[4].v[1]
    either.fraction += 1;  // names: either.fraction
    pair.big += 1;         // names: pair.big
    flags.after += 1;      // names: flags.after
    flags.b += 1;          // names: flags
    nested.in.deep += 1;   // names: nested.in.deep
    shared_pointer[k] += 1; // names: shared_pointer[k]
    *slot(&m, k + 4) += 1; // names: *slot(&m, k + 4)
    m.data[3] += 1;        // names: m.data[3]
    cells[bins[9] + one()] += 1; // names: cells[bins[9] + one()]
    rows[k][k + 1] += 1;   // names: rows[1][2]
    heap[k].in.z[k] += 1;  // names: heap[1].in.z[1]
    turned[k] += 1;        // names: turned[k]
    BUMP(table[7]);        // names: table[7]
    BUMP(extra->count);    // names: extra->count
    struct body fresh = {k};
    heap[2] = fresh;       // names: heap[2]
    {
      int inner = k;
#pragma omp task shared(inner)
      inner += 1;          // names: inner
      inner += 1;          // names: inner
    }
#pragma omp taskwait
    inlined(other);
    statics();
    through(&local, heap, list, &m, k, &cells, &heap[3]);
  }
  int s2 = 0;
  {
    int s = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; i++)
      s += i;              // names: s
    s2 += s;
  }
  struct node once = {0, 0};
#pragma omp parallel num_threads(2) firstprivate(once)
  {
#pragma omp task shared(once)
    once.count += 1;       // names: once.count
    once.count += 1;       // names: once.count
#pragma omp taskwait
  }
  int *mine = &per_thread, *copy = &private_copy;
#pragma omp parallel num_threads(2)
  {
    *mine += 1;            // names: *mine
    *copy += 1;            // names: *copy
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  s += fib(4);
  return s + s2 == 12345;
}
