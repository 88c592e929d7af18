// Time, with results of their own. rand is guarded by the C library; strerror has a result for each thread.
// expect: race-free all-schedules
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

time_t when = 86400;

int main(void) {
  int years[4], exponents[4];
  const char *home[4];
#pragma omp parallel for num_threads(4)
  for (int t = 0; t < 4; t++) {
    struct tm date;
    char text[64], *end;
    double whole;
    gmtime_r(&when, &date);
    years[t] = date.tm_year;
    assert(strftime(text, sizeof text, "%Y-%m-%d", &date) == 10 && strtol(text, &end, 10) == 1970 && *end == '-');
    assert(frexp(8.0, &exponents[t]) == 0.5 && modf(2.5, &whole) == 0.5 && whole == 2);
    home[t] = getenv("HOME");
    srand((unsigned)t);
    assert(rand() >= 0 && strerror(t) != 0);
    struct timespec now;
    assert(clock_gettime(CLOCK_REALTIME, &now) == 0 && time(0) > 0);
  }
  for (int t = 0; t < 4; t++)
    assert(years[t] == 70 && exponents[t] == 4 && home[t] == home[0]);
  return 0;
}
