// Elements are inserted into sorted ones. Others read the last that moved, and write where it was stopped, and the only one looked at.
// expect: race
static int a[12] = {0, 10, 20, 30, 40, 50, 60, 70}, b[12] = {5, 15, 25, 35}, c[12] = {0, 1, 2, 3};
int sink[4];

static void insert(int *low, int *at, int value) {
  for (; at > low && at[-1] > value; at--) //~ race a[] #1 race c[] #4
    *at = at[-1]; //~ race a[] #2 race a[] #3 race b[] #5
  *at = value; //~ race b[] #6
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    insert(a + 1, a + 8, 25);
#pragma omp task
    insert(b + 1, b + 4, 6);
#pragma omp task
    insert(c + 1, c + 4, 9);
#pragma omp task
    a[2] = 20; //~ race a[] #1
#pragma omp task
    sink[0] = a[4]; //~ race a[] #2
#pragma omp task
    sink[1] = a[8]; //~ race a[] #3
#pragma omp task
    c[3] = 3; //~ race c[] #4
#pragma omp task
    sink[2] = b[2]; //~ race b[] #5
#pragma omp task
    sink[3] = b[1]; //~ race b[] #6
  }
  return sink[0] + sink[1] + sink[2] + sink[3] == 0;
}
