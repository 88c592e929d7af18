// A range of zeros reaches one byte into a word that is read elsewhere.
// expect: race
#include <string.h>

struct {
  char name[17];
  char flag;
} s;
char copy;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    memset(&s, 0, sizeof s.name + 1); //~ race s #1
#pragma omp task
    copy = s.flag; //~ race s #1
  }
  return 0;
}
