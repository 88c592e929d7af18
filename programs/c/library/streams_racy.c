// Streams and descriptors: what is read into a buffer, and written from it.
// expect: race
// flags: -D_GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TASK _Pragma("omp task")

char a[16] = "a", b[16] = "b", c[64], d[64], e[16] = "eeee", f[16], g[16], h[64], i[16] = "/", m[4096], o[16] = "o", q[16];
char *line;
size_t room;
int j[2], ends[2], pair[2];
struct stat k;
struct utsname l;
struct iovec n[1] = {{o, 4}};
volatile long results[32];

int main(void) {
  FILE *file = tmpfile();
  fputs("first line\nsecond line\nthird line\nfourth line\n", file);
  rewind(file);
  results[0] = pipe(ends);
  results[1] = socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK a[0] = 'A';                                //~ race a[] #1
    TASK puts(a);                                   //~ race a[] #1
    TASK b[0] = 'B';                                //~ race b[] #2
    TASK fputs(b, stdout);                          //~ race b[] #2
    TASK fgets(c, 64, file);                        //~ race c[] #3
    TASK c[3] = 'C';                                //~ race c[] #3
    TASK results[2] = (long)fread(d, 1, 4, file);   //~ race d[] #4
    TASK d[3] = 'D';                                //~ race d[] #4
    TASK e[2] = 'E';                                //~ race e[] #5
    TASK results[3] = (long)fwrite(e, 1, 4, stdout); //~ race e[] #5
    TASK results[4] = write(ends[1], "12345678", 8);
    TASK results[5] = read(ends[0], f, 4);          //~ race f[] #6
    TASK f[3] = 'F';                                //~ race f[] #6
    TASK g[0] = 'G';                                //~ race g[] #7
    TASK results[6] = write(ends[1], g, 1);         //~ race g[] #7
    TASK results[7] = getline(&line, &room, file);  //~ race room #8
    TASK room = 0;                                  //~ race room #8
    TASK i[0] = '.';                                //~ race i[] #9
    TASK results[8] = stat(i, &k);                  //~ race i[] #9 race k[] #10
    TASK k.st_size = 1;                             //~ race k[] #10
    TASK results[9] = pipe(j);                      //~ race j[] #11
    TASK j[1] = 0;                                  //~ race j[] #11
    TASK results[10] = uname(&l);                   //~ race l[] #12
    TASK l.release[0] = 0;                          //~ race l[] #12
    TASK results[11] = getcwd(m, sizeof m) != 0;    //~ race m[] #13
    TASK m[0] = 0;                                  //~ race m[] #13
    TASK o[3] = 'O';                                //~ race o[] #14
    TASK results[12] = writev(1, n, 1);             //~ race o[] #14
    TASK results[13] = send(pair[0], "1234", 4, 0);
    TASK results[14] = recv(pair[1], q, 16, 0);     //~ race q[] #15
    TASK q[3] = 'Q';                                //~ race q[] #15
  }
  return 0;
}
