// Two names are two locks.
// expect: race
int balance = 100;

__attribute__((noinline)) static void pay(int amount) {
#pragma omp critical(debit)
  balance -= amount; //~ race balance #1
}

__attribute__((noinline)) static void earn(int amount) {
#pragma omp critical(credit)
  balance += amount; //~ race balance #1
}

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    pay(10);
#pragma omp section
    earn(20);
  }
  return 0;
}
