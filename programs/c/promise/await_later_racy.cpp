// Each task awaits what a task puts that is created after it: a finish around one that ends before that would never end.
// expect: race
#include "hclib_cpp.h"

static int a, b, c, d, e;

static void await(hclib::promise_t<void> *go) { go->get_future()->wait(); }

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<void> *go = new hclib::promise_t<void>();
    hclib::future_t<void> *gone = go->get_future();
    hclib::locale_t *place = hclib::get_closest_locale();
    hclib::async_await_at([]() { a++; }, gone, place);           //~ race a #1
    hclib::async_nb_await_at([]() { b++; }, gone, place);        //~ race b #2
    hclib::async_future_await_at([]() { c++; }, gone, place);    //~ race c #3
    hclib::async_nb_future_await([]() { d++; }, gone);           //~ race d #4
    hclib::async([=]() { await(go), e++; });                     //~ race e #5
    hclib::async([=]() { go->put(); });
    int all = a;           //~ race a #1
    all += b;              //~ race b #2
    all += c;              //~ race c #3
    all += d;              //~ race d #4
    all += e;              //~ race e #5
    if (all < 0)
      abort();
  });
  return 0;
}
