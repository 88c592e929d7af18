// taskwait joins the children, not the children of the children.
// expect: race
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      x = 1; //~ race x #1
    }
#pragma omp taskwait
    y = x; //~ race x #1
  }
  return 0;
}
