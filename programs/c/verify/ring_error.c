// A ring of two places: the producer does not look whether there is room, which there is if the consumer is fast enough.
// expect: program-error
// run: race-free
// executions: 2
// message: exit status 1
int ring[2], put, got, lost;

static void produce(int value) {
#pragma omp critical
  {
    lost |= put - got == 2;
    ring[put++ % 2] = value;
  }
}

static void consume(void) {
#pragma omp critical
  if (put > got)
    got++;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    produce(1);
    produce(2);
#pragma omp task
    consume();
#pragma omp task
    produce(3);
  }
  return lost;
}
