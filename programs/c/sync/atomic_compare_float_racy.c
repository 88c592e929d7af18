// The minimum and the maximum of floating-point numbers are atomic, the reads beside them are not.
// expect: race
float largest;
double least = 10, copy;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      float candidate = 7;
      double other = 3;
#pragma omp atomic compare
      if (largest < candidate) { //~ race largest #1
        largest = candidate;
      }
#pragma omp atomic compare
      least = least > other ? other : least; //~ race least #2
    }
#pragma omp section
    {
      copy = largest; //~ race largest #1
      copy += least; //~ race least #2
    }
  }
  return 0;
}
