// Cilksort: four quarters, two merges, a last merge, which does not wait for the two before it.
// expect: race
// args: 20000
#include "hclib_cpp.h"
#include <cassert>
#include <cstdlib>
#define SEQUENTIAL 1024
#define INSERTION 20

static void insertion(int *low, int *high) {
  for (int *at = low + 1; at < high; at++) {
    int value = *at, *to = at;
    for (; to > low && to[-1] > value; to--)
      *to = to[-1];
    *to = value;
  }
}

static void sequential(int *low, int *high) {
  while (high - low > INSERTION) {
    int a = low[0], b = low[(high - low) / 2], c = high[-1];
    int pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    int *left = low, *right = high - 1;
    for (;; left++, right--) {
      while (*left < pivot)
        left++;
      while (*right > pivot)
        right--;
      if (left >= right)
        break;
      int swap = *left;
      *left = *right;
      *right = swap;
    }
    sequential(right + 1, high);
    high = right + 1;
  }
  insertion(low, high);
}

static void merge_sequential(const int *a, const int *a_end, const int *b, const int *b_end, int *to) {
  while (a < a_end && b < b_end)
    *to++ = *b < *a ? *b++ : *a++; //~ race to[] #1 race? to[] #2 #3 #4 #5
  while (a < a_end)
    *to++ = *a++; //~ race? to[] #2 #6 #7 #8 #9
  while (b < b_end)
    *to++ = *b++; //~ race? to[] #3 #7 #10 #11 #12
}

static void merge(const int *a, const int *a_end, const int *b, const int *b_end, int *to) {
  if (b_end - b > a_end - a) {
    const int *swap = a, *swap_end = a_end;
    a = b, a_end = b_end;
    b = swap, b_end = swap_end;
  }
  if (b_end - b < SEQUENTIAL) {
    merge_sequential(a, a_end, b, b_end, to);
    return;
  }
  const int *middle = a + (a_end - a) / 2, *low = b, *high = b_end;
  while (low < high) {
    const int *half = low + (high - low) / 2;
    if (*half < *middle) //~ race? to[] #4 #8 #11 #13 #14
      low = half + 1;
    else
      high = half;
  }
  int *pivot = to + (middle - a) + (low - b);
  *pivot = *middle; //~ race? to[] #5 #9 #12 #14 #15
  hclib::finish([=]() {
    hclib::async([=]() { merge(a, middle, b, low, to); });
    merge(middle + 1, a_end, low, b_end, pivot + 1);
  });
}

static void sort(int *low, int *spare, long n) {
  if (n < SEQUENTIAL) {
    sequential(low, low + n);
    return;
  }
  long q = n / 4;
  int *a = low, *b = a + q, *c = b + q, *d = c + q, *end = low + n;
  int *sa = spare, *sb = sa + q, *sc = sb + q, *sd = sc + q;
  hclib::finish([=]() {
    hclib::async([=]() { sort(a, sa, q); });
    hclib::async([=]() { sort(b, sb, q); });
    hclib::async([=]() { sort(c, sc, q); });
    sort(d, sd, end - d);
  });
  hclib::finish([=]() {
    hclib::async([=]() { merge(a, b, b, c, sa); });
    merge(c, d, d, end, sc);
    merge(sa, sc, sc, spare + n, low);
  });
}

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 4000000;
  int *data = (int *)malloc(sizeof(int) * n), *spare = (int *)malloc(sizeof(int) * n);
  unsigned long long state = 1, sum = 0;
  for (long i = 0; i < n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    data[i] = (int)(state >> 33);
    sum += data[i];
  }
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [=]() { sort(data, spare, n); });
  for (long i = 0; i < n; i++) {
    assert(i == 0 || data[i - 1] <= data[i]);
    sum -= data[i];
  }
  assert(sum == 0);
  free(data), free(spare);
  return 0;
}
