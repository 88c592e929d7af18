// Two unaligned words that share their last and first byte.
// expect: race
struct __attribute__((packed)) shifted {
  char pad[3];
  int word;
};
char buffer[16];
int copy;

int main(void) {
  struct shifted *a = (struct shifted *)buffer, *b = (struct shifted *)(buffer + 3);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    a->word = -1; //~ race buffer[] #1
#pragma omp task
    copy = b->word; //~ race buffer[] #1
  }
  return 0;
}
