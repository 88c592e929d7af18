// The same words as in promises.cpp, with threads and the promises of the standard library. A second set ends the program,
// which says so.
//
// A finish waits for the threads created inside, and by these: each thread keeps those it has created, and who has joined it
// joins them.

#include <cstdio>
#include <future>
#include <memory>
#include <vector>

#include "promises_words.h"

struct Node;
typedef std::vector<std::unique_ptr<Node>> Nodes;

struct Node {
  Nodes children;
  std::thread thread;
};

static std::promise<void> promises[8];
static std::shared_future<void> set[8], futures[64];

static void run(const char *at, Nodes &nodes);

static void join(Nodes &nodes) {
  for (std::unique_ptr<Node> &node : nodes) {
    node->thread.join();
    join(node->children);
  }
  nodes.clear();
}

template <typename F> static void spawn(Nodes &nodes, F body) {
  nodes.push_back(std::unique_ptr<Node>(new Node));
  Node *node = nodes.back().get();
  node->thread = std::thread([=]() mutable { body(node->children); });
}

static void put(int key) {
  try {
    promises[key].set_value();
  } catch (const std::future_error &error) {
    if (error.code() != std::future_errc::promise_already_satisfied)
      abort();
    puts("second set");
    exit(0);
  }
}

static void run(const char *at, Nodes &nodes) {
  while (*at && *at != '}') {
    char word = *at++;
    int key = 0;
    if (word != 't' && word != 'f')
      key = number(at);
    const char *inside = at + 1;
    switch (word) {
    case 'r':
      read(key, number(++at));
      break;
    case 'w':
      write(key, number(++at));
      break;
    case 's':
      put(key);
      break;
    case 'g':
      set[key].wait();
      break;
    case 'j':
      futures[key].wait();
      break;
    case 't':
      spawn(nodes, [=](Nodes &own) { run(inside, own); });
      break;
    case 'a':
      spawn(nodes, [=](Nodes &own) {
        set[key].wait();
        run(inside, own);
      });
      break;
    case 'u': {
      std::packaged_task<void(Nodes &)> *task = new std::packaged_task<void(Nodes &)>([=](Nodes &own) { run(inside, own); });
      futures[key] = task->get_future().share();
      spawn(nodes, [=](Nodes &own) {
        (*task)(own);
        delete task;
      });
      break;
    }
    case 'f': {
      Nodes inner;
      run(inside, inner);
      join(inner);
      break;
    }
    default: {
      Nodes *inner = new Nodes;
      run(inside, *inner);
      spawn(nodes, [=](Nodes &) {
        join(*inner);
        delete inner;
        put(key);
      });
    }
    }
    if (*at == ';')
      ++at;
    else
      at = after(at);
  }
}

int main(int, char **arguments) {
  for (int key = 0; key < 8; ++key)
    set[key] = promises[key].get_future().share();
  Nodes nodes;
  run(arguments[1], nodes);
  join(nodes);
  return 0;
}
