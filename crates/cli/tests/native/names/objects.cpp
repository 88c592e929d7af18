// What reports call memory of C++: the name after `names:` on the line of an access. Every access is made by two threads at once.
#include <memory>
#include <vector>

namespace physics {
int steps;
struct Particle { double x, y; };
}

struct Base { int id = 0; };

template <typename T> struct Box {
  T value{};
  void put(T next) {
    value = next;          // names: box.value
  }
};

class Counter : public Base {
  int count = 0;
  int parts[4] = {};
public:
  static int total;
  physics::Particle *all = new physics::Particle[5];
  void bump(int k) {
    count += 1;            // names: counter.count
    this->parts[k] += 1;   // names: counter.parts[1]
    id += 1;               // names: counter.id
    total += 1;            // names: Counter::total
    all[k].y += 1;         // names: this->all[k].y
  }
  int &at(int k) { return parts[k]; }
  int &operator[](int k) { return parts[k]; }
  int *operator->() { return parts; }
};
int Counter::total;

struct Grid {
  std::vector<int> cells = std::vector<int>(16);
  int &operator()(int row, int column) { return cells[row * 4 + column]; }
};

void by_reference(int &r, physics::Particle &p, Counter &c, const int k) {
  r += 1;                  // names: local
  p.y += 1;                // names: p.y
  c.at(k) += 1;            // names: c.at(k)
}

template <typename T> void add(T *where, T what) {
  *where += what;          // names: *where
  where[1] += what;        // names: where[1]
}

int calls() {
  static int made;
  made += 1;               // names: made
  return made;             // names: made
}

int main(int argc, char **) {
  int local = 0, captured = 0, by_lambda[4] = {};
  int k = argc;
  Counter counter;
  Counter *pointer = new Counter;
  std::vector<int> v(10);
  std::vector<physics::Particle> particles(6);
  std::vector<std::vector<int>> jagged(3, std::vector<int>(4));
  auto owned = std::make_unique<physics::Particle>();
  int *numbers = new int[10]();
  physics::Particle *one = new physics::Particle{};
  Box<long> box;
  Grid grid;
  auto bump = [&](int i) {
    captured += 1;         // names: captured
    by_lambda[i] += 1;     // names: by_lambda[1]
    v[i + 7] += 1;         // names: v[8]
  };
  int aliased = 0, &alias = aliased;
#pragma omp parallel num_threads(2)
  {
    physics::steps += 1;   // names: physics::steps
    v[3] += 1;             // names: v[3]
    v[k + 4] += 1;         // names: v[5]
    particles[k + 1].y += 1; // names: particles[2].y
    jagged[k][k + 1] += 1; // names: jagged[k][2]
    v.at(k) += 1;          // names: v.at(k)
    owned->x += 1;         // names: owned->x
    numbers[k] += 1;       // names: numbers[1]
    one->y += 1;           // names: one->y
    counter[k + 1] += 1;   // names: counter.parts[2]
    grid(k, 2) += 1;       // names: grid(k, 2)
    alias += 1;            // names: alias
    bump(k);
    counter.bump(k);
    by_reference(local, particles[0], *pointer, k);
    add(numbers + 4, 1);
    box.put(3);
    calls();
  }
  return local + aliased + captured + box.value + by_lambda[1] == 12345;
}
