// Objects come and go; their storage is used again by other tasks.
// expect: race-free all-schedules
#include <cassert>
#include <memory>

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  explicit Square(int a) : side(a) {}
  int area() const override { return side * side; }
  int side;
};
struct Strip : Shape {
  explicit Strip(int a) : length(a) {}
  int area() const override { return length; }
  int length;
};

int areas[10];

int main() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task
    {
      std::unique_ptr<Shape> shape;
      if (i % 2)
        shape = std::make_unique<Square>(i);
      else
        shape = std::make_unique<Strip>(i);
      areas[i] = shape->area();
    }
  }
  assert(areas[3] == 9 && areas[4] == 4);
  return 0;
}
