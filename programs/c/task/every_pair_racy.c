// Each task writes and then reads in one step: all pairs of the two lines and of their neighbours are races.
// expect: race
int x, y, sum;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
      x = 1;      //~ race x #1 #2
      y = x + 2;  //~ race x #3 race y #4
      sum += y;   //~ race sum #5 race y #6
    }
#pragma omp task
    {
      x = 5;      //~ race x #1 #3
      int z = x;  //~ race x #2
      y = z;      //~ race y #4 #6
      sum += z;   //~ race sum #5
    }
  }
  return 0;
}
