// A partition in a task. Others write the first and the last element, which it leaves where they are, and two that it swaps.
// expect: race
static int data[12] = {0, 1, 8, 2, 9, 7, 3, 4, 10, 5, 11, 12};

static int *partition(int *left, int *right, int pivot) {
  for (;; left++, right--) {
    while (*left < pivot) //~ race data[] #1
      left++;
    while (*right > pivot) //~ race data[] #2
      right--;
    if (left >= right)
      return right;
    int swap = *left;
    *left = *right; //~ race data[] #3
    *right = swap; //~ race data[] #4
  }
}

int main(void) {
  int *middle;
  int sink[2];
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(middle)
    middle = partition(data + 1, data + 10, 6);
#pragma omp task
    data[1] = 1; //~ race data[] #1
#pragma omp task
    data[10] = 11; //~ race data[] #2
#pragma omp task shared(sink)
    sink[0] = data[2]; //~ race data[] #3
#pragma omp task shared(sink)
    sink[1] = data[9]; //~ race data[] #4
#pragma omp task
    data[0] = 0, data[11] = 12; // beside what it accesses
  }
  return middle == 0 || sink[0] + sink[1] == 0;
}
