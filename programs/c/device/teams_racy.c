// The initial threads of the teams share the variable.
// expect: race
int x;

int main(void) {
#pragma omp teams num_teams(2)
  x++; //~ race x #1
  return 0;
}
