// Containers as members, base classes and `std::array`: the name after `names:` on the line of an access. Every access is made by two threads at once.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Item { int x = 0, y = 0; int *to = &x; int &same = x; };
struct Shared : virtual Item { int own = 0; };
namespace { int hidden; }

struct Only { std::vector<int> all = std::vector<int>(4); };

struct Owner {
  Item item;
  std::vector<Item> items = std::vector<Item>(4);
  std::array<int, 3> fixed{};
  std::string text = "a text that is too long to be in the string";
  std::unique_ptr<Item> owned = std::make_unique<Item>();
  Item &at(int i) { return items[i]; }
  void run(int k) {
    items[k].x = 1;             // names: this->items[1].x
    fixed[k] = 1;               // names: this->fixed[k]
    owned->x = 1;               // names: this->owned->x
    text[0] = 'b';              // names: this->text[0]
    this->items[2].x = 1;       // names: this->items[2].x
    auto captured = [this, k] {
      item.x = 1;               // names: this->item.x
      items[k].y = 1;           // names: this->items[1].y
    };
    captured();
  }
};

int main(int argc, char **) {
  int k = argc;
  auto *owner = new Owner;
  Owner local;
  Only *only = new Only;
  auto shared = std::make_shared<Item>();
  Shared derived;
  std::array<std::array<int, 4>, 4> square{};
  std::vector<std::array<int, 3>> triples(4);
  std::vector<int> several[3] = {std::vector<int>(4), std::vector<int>(4), std::vector<int>(4)};
#pragma omp parallel num_threads(2)
  {
    owner->run(k);
    owner->items[3].x = 1;      // names: owner->items[3].x
    owner->fixed[2] = 1;        // names: owner->fixed[2]
    local.items[k].y = 1;       // names: local.items[1].y
    local.at(2).x = 1;          // names: local.at(2).x
    local.item.y = 1;           // names: local.item.y
    *local.item.to = 1;         // names: local.item.x
    local.item.same = 1;        // names: local.item.x
    only->all[k] = 1;           // names: only->all[1]
    shared->x = 1;              // names: shared->x
    derived.own = 1;            // names: derived.own
    derived.x = 1;              // names: derived
    square[1][k] = 1;           // names: square[1][1]
    triples[k][2] = 1;          // names: triples[k][2]
    several[k][2] = 1;          // names: several[k][2]
    hidden = 1;                 // names: hidden
  }
  return 0;
}
