// The parent adds up before its children are done.
// expect: race
struct tree {
  int sum;
  struct tree *left, *right;
} leaf[2] = {{1, 0, 0}, {2, 0, 0}}, root = {0, &leaf[0], &leaf[1]};

__attribute__((noinline)) static void visit(struct tree *t) {
  t->sum *= 10; //~ race leaf[].sum #1
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    visit(root.left);
#pragma omp task
    visit(root.right);
    root.sum = root.left->sum + root.right->sum; //~ race leaf[].sum #1
#pragma omp taskwait
  }
  return 0;
}
