// A reduction of one's own with nowait, read before the barrier.
// expect: race
#define N 12

struct range {
  int low, high;
};

static void widen(struct range *out, const struct range *in) {
  if (in->low < out->low)
    out->low = in->low;
  if (in->high > out->high)
    out->high = in->high; //~ race all.high #1
}

#pragma omp declare reduction(hull : struct range : widen(&omp_out, &omp_in)) \
    initializer(omp_priv = {1000, -1000})

struct range all = {1000, -1000};
int high;

int main(void) {
#pragma omp parallel
  {
#pragma omp for reduction(hull : all) nowait
    for (int i = 0; i < N; i++)
      widen(&all, &(struct range){i, i});
#pragma omp single
    high = all.high; //~ race all.high #1
  }
  return 0;
}
