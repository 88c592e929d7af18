// A two-byte write into the middle of a word that another task reads.
// expect: race
union {
  int word;
  short half[2];
} u;
int copy;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    u.half[1] = 1; //~ race u #1
#pragma omp task
    copy = u.word; //~ race u #1
  }
  return 0;
}
