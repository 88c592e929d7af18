// Runs a program of tasks and promises, which is given as words, on HClib's interface:
//
//   r1:7;  w1:7;   read, write variable 1, as access 7
//   s2;  g2;       put into, wait for promise 2
//   t{…}  a2{…}    async; async that awaits promise 2
//   u3{…}  j3;     async_future as future 3; wait for it
//   f{…}  n2{…}    finish; nonblocking finish that puts into promise 2

#include "hclib_cpp.h"

#include "promises_words.h"

static hclib::promise_t<void> *promises[8];
static hclib::future_t<void> *futures[64];

static void run(const char *at) {
  while (*at && *at != '}') {
    char word = *at++;
    int key = 0;
    switch (word) {
    case 'r':
    case 'w':
      key = number(at);
      if (word == 'r')
        read(key, number(++at));
      else
        write(key, number(++at));
      ++at;
      continue;
    case 's':
      key = number(at);
      promises[key]->put();
      ++at;
      continue;
    case 'g':
      key = number(at);
      promises[key]->get_future()->wait();
      ++at;
      continue;
    case 'j':
      key = number(at);
      futures[key]->wait();
      ++at;
      continue;
    case 'a':
    case 'u':
    case 'n':
      key = number(at);
      break;
    }
    const char *inside = at + 1;
    at = after(at);
    if (word == 't')
      hclib::async([=]() { run(inside); });
    else if (word == 'a')
      hclib::async_await([=]() { run(inside); }, promises[key]->get_future());
    else if (word == 'u')
      futures[key] = hclib::async_future([=]() { run(inside); });
    else if (word == 'f')
      hclib::finish([=]() { run(inside); });
    else {
      hclib_start_finish();
      run(inside);
      hclib_end_finish_nonblocking_helper(promises[key]);
    }
  }
}

int main(int, char **arguments) {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [=]() {
    for (hclib::promise_t<void> *&promise : promises)
      promise = new hclib::promise_t<void>();
    run(arguments[1]);
  });
  return 0;
}
