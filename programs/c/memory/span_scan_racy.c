// Scans up and down to a mark, in tasks. Others write the marks and the starts.
// expect: race
static long up[20], down[20];
static char text[20];
static int sink;

static long *first(long *p) {
  while (*p != 7) //~ race up[] #1 race up[] #2
    p++;
  return p;
}

static long *last(long *p) {
  while (*p != 7) //~ race down[] #3 race down[] #4
    p--;
  return p;
}

static int size(const char *a) {
  int n = 0;
  while (a[n] != 7) //~ race text[] #5 race text[] #6
    n++;
  return n;
}

int main(void) {
  up[12] = down[5] = text[9] = 7;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      int found = first(up + 1) - up, lost = last(down + 18) - down;
      sink = found + lost + size(text + 1);
    }
#pragma omp task
    up[1] = 1; //~ race up[] #1
#pragma omp task
    up[12] = 7; //~ race up[] #2
#pragma omp task
    down[18] = 1; //~ race down[] #3
#pragma omp task
    down[5] = 7; //~ race down[] #4
#pragma omp task
    text[1] = 1; //~ race text[] #5
#pragma omp task
    text[9] = 7; //~ race text[] #6
  }
  return sink == 0;
}
