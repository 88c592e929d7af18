// A static member of a class template is one for all threads.
// expect: race
template <typename T> struct Registry {
  static T count;
  static void add() {
    count++; //~ race count #1
  }
};
template <typename T> T Registry<T>::count = 0;

int main() {
#pragma omp parallel num_threads(2)
  Registry<long>::add();
  return 0;
}
