// The object is deleted while another task calls a method of it.
// expect: race
struct Account {
  void pay(int amount);
  int balance = 0;
};

__attribute__((noinline)) void Account::pay(int amount) {
  balance += amount; //~ race account #1
}

int main() {
  Account *account = new Account;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    account->pay(5);
#pragma omp task
    delete account; //~ race account #1
  }
  return 0;
}
