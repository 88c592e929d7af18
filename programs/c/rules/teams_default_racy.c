// How many teams there are is open; with two or more they race.
// expect: race
int x, seen;

int main(void) {
#pragma omp teams
  {
    x = 1;    //~ race x #1 #2
    seen = x; //~ race x #2 race seen #3
  }
  return 0;
}
