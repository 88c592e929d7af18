// Each thread of the team is a parent of its own: their tasks are not siblings.
// expect: race
int x;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp task depend(inout : x)
    x++; //~ race x #1
  }
  return 0;
}
