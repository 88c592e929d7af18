// Through a pointer a team reads the original variable while another combines its part into it.
// expect: race
int sum, seen[8];

int main(void) {
  int *original = &sum;
#pragma omp teams num_teams(2) reduction(+ : sum) //~ race sum #1
  {
    sum += 1;
    seen[*original] = 1; //~ race sum #1
  }
  return 0;
}
