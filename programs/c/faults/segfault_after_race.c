// What was found before the crash is reported.
// expect: race
// message: segmentation fault
int *volatile nowhere;
int x;

int main(void) {
#pragma omp parallel num_threads(2)
  x++; //~ race x #1
  *nowhere = 1;
  return 0;
}
