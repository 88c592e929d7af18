// Threads with a share of the rows each, and a barrier after each sweep.
// expect: race-free all-schedules
// args: 64 4
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

int main(int count, char **arguments) {
  const long THREADS = 4;
  long size = count > 1 ? atol(arguments[1]) : 1024;
  long sweeps = count > 2 ? atol(arguments[2]) : 60;
  std::vector<double> grids[2] = {std::vector<double>(size * size), std::vector<double>(size * size)};
  for (long i = 0; i < size; i++)
    grids[0][i] = grids[1][i] = 1;
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, THREADS);
  std::vector<std::thread> threads;
  for (long thread = 0; thread < THREADS; thread++)
    threads.emplace_back([&, thread] {
      long first = 1 + (size - 2) * thread / THREADS, end = 1 + (size - 2) * (thread + 1) / THREADS;
      for (long sweep = 0; sweep < sweeps; sweep++) {
        const double *from = grids[sweep % 2].data();
        double *to = grids[1 - sweep % 2].data();
        for (long row = first; row < end; row++)
          for (long column = 1; column < size - 1; column++) {
            long at = row * size + column;
            to[at] = 0.25 * (from[at - 1] + from[at + 1] + from[at - size] + from[at + size]);
          }
        pthread_barrier_wait(&barrier);
      }
    });
  for (auto &thread : threads)
    thread.join();
  pthread_barrier_destroy(&barrier);
  // Heat has come no further than one row a sweep.
  const double *last = grids[sweeps % 2].data();
  assert(last[size + size / 2] > 0.2 && (sweeps >= size - 2 || last[(sweeps + 1) * size + 1] == 0));
}
