// A pipeline of threads on promises of the standard library: values, references, nothing, and a shared future.
// expect: race-free all-schedules
#include <cassert>
#include <future>
#include <string>

static int item, count;

int main() {
  std::promise<std::string> named;
  std::promise<int &> found;
  std::promise<void> done;
  std::shared_future<int &> where = found.get_future().share();
  std::future<std::string> name = named.get_future();
  std::thread producer([&]() {
    item = 42;
    count = 1;
    found.set_value(item);
    named.set_value("a name that does not fit into the string itself");
  });
  std::thread reader([where, done = std::move(done)]() mutable {
    assert(where.get() == 42 && count == 1);
    done.set_value();
  });
  std::thread other([where]() { assert(&where.get() == &item); });
  assert(name.get().size() > 40);
  producer.join();
  reader.join();
  other.join();
  return 0;
}
