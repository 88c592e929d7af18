// What precedes the ordered region of a collapsed iteration does not wait for the iterations before it.
// expect: race
int n, seen[16];

int main(void) {
#pragma omp parallel for collapse(2) ordered
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      seen[i * 4 + j] = n; //~ race n #1
#pragma omp ordered
      n++; //~ race n #1
    }
  return 0;
}
