// The same name at two places is one lock.
// expect: race-free observed-schedule
#include <assert.h>

int balance = 100;

static void pay(int amount) {
#pragma omp critical(account)
  balance -= amount;
}

static void earn(int amount) {
#pragma omp critical(account)
  balance += amount;
}

int main(void) {
#pragma omp parallel num_threads(3)
  {
    pay(10);
    earn(10);
  }
  assert(balance == 100);
  return 0;
}
