// Every thread walks the list.
// expect: race
struct node {
  int value;
  struct node *next;
} nodes[10];

int main(void) {
  for (int i = 0; i < 9; i++)
    nodes[i].next = &nodes[i + 1];
#pragma omp parallel num_threads(2)
  for (struct node *p = nodes; p; p = p->next) {
#pragma omp task firstprivate(p)
    p->value += 2; //~ race nodes[].value #1
  }
  return 0;
}
