// Elements are packed, upwards and downwards. Others write the first and the last of what is packed.
// expect: race
static int from[20], up[20], down[20];
static int *end, *begin;

static int *pack(const int *a, int *to) {
  while (*a >= 0) { //~ race from[] #5
    if (*a & 1)
      *to++ = *a; //~ race up[] #1 race up[] #2
    a++;
  }
  return to;
}

static int *pack_down(const int *a, int *to) {
  while (*a >= 0) {
    if (*a & 1)
      *--to = *a; //~ race down[] #3 race down[] #4
    a++;
  }
  return to;
}

int main(void) {
  for (int i = 0; i < 20; i++)
    from[i] = i < 19 ? i : -1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    end = pack(from, up + 2);
#pragma omp task
    begin = pack_down(from, down + 15);
#pragma omp task
    up[2] = 1; //~ race up[] #1
#pragma omp task
    up[10] = 1; //~ race up[] #2
#pragma omp task
    down[14] = 1; //~ race down[] #3
#pragma omp task
    down[6] = 1; //~ race down[] #4
  }
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    end = pack(from, up);
#pragma omp task
    from[19] = -1; //~ race from[] #5
  }
  return 0;
}
