// Time: results through pointers, and results that all calls share.
// expect: race
#include <math.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define TASK _Pragma("omp task")

time_t a, b = 1000, c = 2000;
struct timespec d;
struct timeval e;
struct tm f = {.tm_mday = 1, .tm_year = 100}, g = {.tm_mday = 1, .tm_year = 100};
char h[64];
int i;
double j, k = 1;
unsigned l;
volatile long results[8];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK time(&a);                                 //~ race a #1
    TASK a = 1;                                    //~ race a #1
    TASK results[0] = localtime(&b) != 0;          //~ race the_result_of_localtime_and_gmtime #2
    TASK results[1] = gmtime(&c) != 0;             //~ race the_result_of_localtime_and_gmtime #2
    TASK clock_gettime(CLOCK_REALTIME, &d);        //~ race d[] #3
    TASK d.tv_nsec = 1;                            //~ race d[] #3
    TASK gettimeofday(&e, 0);                      //~ race e[] #4
    TASK e.tv_sec = 1;                             //~ race e[] #4
    TASK results[2] = mktime(&f);                  //~ race f[] #5
    TASK f.tm_hour = 1;                            //~ race f[] #5
    TASK g.tm_hour = 1;                            //~ race g[] #6
    TASK results[3] = (long)strftime(h, 64, "%H", &g); //~ race g[] #6 race h[] #7
    TASK h[1] = 0;                                 //~ race h[] #7
    TASK results[4] = (long)frexp(k, &i);          //~ race i #8
    TASK i = 1;                                    //~ race i #8
    TASK results[5] = (long)modf(k, &j);           //~ race j #9
    TASK j = 1;                                    //~ race j #9
    TASK results[6] = rand_r(&l);                  //~ race l #10
    TASK l = 1;                                    //~ race l #10
  }
  return 0;
}
