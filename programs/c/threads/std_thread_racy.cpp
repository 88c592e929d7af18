// Two threads of the C++ library count without a lock.
// expect: race
#include <thread>

int counter;

static void count() {
  counter = counter + 1; //~ race counter #1
}

int main() {
  std::thread a(count), b(count);
  a.join();
  b.join();
}
