// copyin copies the pointer; what it points to is one variable.
// expect: race
int *mine, target;
#pragma omp threadprivate(mine)

int main(void) {
  mine = &target;
#pragma omp parallel copyin(mine)
  *mine += 1; //~ race target #1
  return 0;
}
