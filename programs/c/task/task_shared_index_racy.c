// The task reads the loop variable its creator steps on.
// expect: race
int index_, sum[8];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (index_ = 0; index_ < 4; index_++) { //~ race index_ #1
#pragma omp task
    sum[index_ & 7] = 1; //~ race index_ #1 race? sum[] #2
  }
  return 0;
}
