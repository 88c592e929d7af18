// Lambdas that capture by value run in tasks.
// expect: race-free all-schedules
#include <cassert>
#include <functional>
#include <vector>

int main() {
  std::vector<std::function<int()>> jobs;
  int results[6] = {0};
  for (int i = 0; i < 6; i++)
    jobs.push_back([i] { return i * i; });
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; i++) {
#pragma omp task shared(jobs, results)
    results[i] = jobs[i]();
  }
  assert(results[5] == 25);
  return 0;
}
