// Futures: values of every kind, with and without what they await, as nodes of a graph.
// expect: race-free all-schedules
#include "hclib_cpp.h"
#include <cassert>

static long memory[4];

static long fib(int n) {
  if (n < 2)
    return n;
  auto *left = hclib::async_future([n]() { return fib(n - 1); });
  long right = fib(n - 2);
  return left->wait() + right;
}

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    assert(fib(10) == 55);
    auto *one = hclib::async_future([]() { memory[0] = 1; });
    auto *pointer = hclib::async_future_await([]() { return &memory[0]; }, one);
    auto *half = hclib::async_nb_future([]() { return 0.5f; });
    std::vector<hclib_future_t *> both = {pointer, half};
    auto *last = hclib::async_future_await([=]() -> double { return *pointer->get() + half->get(); }, both);
    hclib::locale_t *here = hclib::get_closest_locale();
    auto *there = hclib::async_future_await_at([=]() { return last->get() > 1; }, last, here);
    assert(there->wait());
    hclib::promise_t<long &> by_reference;
    hclib::async_at([&]() {
      memory[3] = 7;
      by_reference.put(memory[3]);
     }, here);
    assert(by_reference.future().wait() == 7);
  });
  return 0;
}
