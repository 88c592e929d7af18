// Network flow in small: one thread improves the potential of a node twice, the other relaxes an arc from that node. New potentials are written
// under a lock, but computed from potentials that are read without it. As programs/tp/examples/netzer_pnet.tp.
// Source: after Netzer's test program pnet.
// expect: race
#include <pthread.h>

pthread_mutex_t update = PTHREAD_MUTEX_INITIALIZER;
int potential[3] = {0, 9, 9};

static void relax(int from, int to, int cost) {
  int through = potential[from] + cost; //~ race potential[] #1
  pthread_mutex_lock(&update);
  if (through < potential[to])
    potential[to] = through; //~ race potential[] #1
  pthread_mutex_unlock(&update);
}

static void *improve(void *unused) {
  relax(0, 1, 4);
  relax(0, 1, 2);
  return unused;
}

static void *go_on(void *unused) {
  relax(1, 2, 2);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, improve, 0);
  pthread_create(&b, 0, go_on, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
