// A semaphore with two tokens lets two threads in.
// expect: race
#include <pthread.h>
#include <semaphore.h>

sem_t tokens;
int inside;

static void *enter(void *unused) {
  sem_wait(&tokens);
  inside = 1; //~ race inside #1
  sem_post(&tokens);
  return unused;
}

int main(void) {
  pthread_t a, b;
  sem_init(&tokens, 0, 2);
  pthread_create(&a, 0, enter, 0);
  pthread_create(&b, 0, enter, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
