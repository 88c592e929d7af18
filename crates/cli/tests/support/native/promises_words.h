// What programs of words have in common, whatever their promises: the variables, accesses that have a line each, so that a
// report tells which two race, and the words themselves.

#include <cstdlib>

static int x[4];

static void read(int variable, int access) {
  volatile int sink = 0;
  switch (access) {
  case 0: sink = x[variable]; break;
  case 1: sink = x[variable]; break;
  case 2: sink = x[variable]; break;
  case 3: sink = x[variable]; break;
  case 4: sink = x[variable]; break;
  case 5: sink = x[variable]; break;
  case 6: sink = x[variable]; break;
  case 7: sink = x[variable]; break;
  case 8: sink = x[variable]; break;
  case 9: sink = x[variable]; break;
  case 10: sink = x[variable]; break;
  case 11: sink = x[variable]; break;
  case 12: sink = x[variable]; break;
  case 13: sink = x[variable]; break;
  case 14: sink = x[variable]; break;
  case 15: sink = x[variable]; break;
  case 16: sink = x[variable]; break;
  case 17: sink = x[variable]; break;
  case 18: sink = x[variable]; break;
  case 19: sink = x[variable]; break;
  case 20: sink = x[variable]; break;
  case 21: sink = x[variable]; break;
  case 22: sink = x[variable]; break;
  case 23: sink = x[variable]; break;
  case 24: sink = x[variable]; break;
  case 25: sink = x[variable]; break;
  case 26: sink = x[variable]; break;
  case 27: sink = x[variable]; break;
  case 28: sink = x[variable]; break;
  case 29: sink = x[variable]; break;
  case 30: sink = x[variable]; break;
  case 31: sink = x[variable]; break;
  case 32: sink = x[variable]; break;
  case 33: sink = x[variable]; break;
  case 34: sink = x[variable]; break;
  case 35: sink = x[variable]; break;
  case 36: sink = x[variable]; break;
  case 37: sink = x[variable]; break;
  case 38: sink = x[variable]; break;
  case 39: sink = x[variable]; break;
  case 40: sink = x[variable]; break;
  case 41: sink = x[variable]; break;
  case 42: sink = x[variable]; break;
  case 43: sink = x[variable]; break;
  case 44: sink = x[variable]; break;
  case 45: sink = x[variable]; break;
  case 46: sink = x[variable]; break;
  case 47: sink = x[variable]; break;
  case 48: sink = x[variable]; break;
  case 49: sink = x[variable]; break;
  case 50: sink = x[variable]; break;
  case 51: sink = x[variable]; break;
  case 52: sink = x[variable]; break;
  case 53: sink = x[variable]; break;
  case 54: sink = x[variable]; break;
  case 55: sink = x[variable]; break;
  case 56: sink = x[variable]; break;
  case 57: sink = x[variable]; break;
  case 58: sink = x[variable]; break;
  case 59: sink = x[variable]; break;
  case 60: sink = x[variable]; break;
  case 61: sink = x[variable]; break;
  case 62: sink = x[variable]; break;
  case 63: sink = x[variable]; break;
  }
  (void)sink;
}

static void write(int variable, int access) {
  switch (access) {
  case 0: x[variable] = 1; break;
  case 1: x[variable] = 1; break;
  case 2: x[variable] = 1; break;
  case 3: x[variable] = 1; break;
  case 4: x[variable] = 1; break;
  case 5: x[variable] = 1; break;
  case 6: x[variable] = 1; break;
  case 7: x[variable] = 1; break;
  case 8: x[variable] = 1; break;
  case 9: x[variable] = 1; break;
  case 10: x[variable] = 1; break;
  case 11: x[variable] = 1; break;
  case 12: x[variable] = 1; break;
  case 13: x[variable] = 1; break;
  case 14: x[variable] = 1; break;
  case 15: x[variable] = 1; break;
  case 16: x[variable] = 1; break;
  case 17: x[variable] = 1; break;
  case 18: x[variable] = 1; break;
  case 19: x[variable] = 1; break;
  case 20: x[variable] = 1; break;
  case 21: x[variable] = 1; break;
  case 22: x[variable] = 1; break;
  case 23: x[variable] = 1; break;
  case 24: x[variable] = 1; break;
  case 25: x[variable] = 1; break;
  case 26: x[variable] = 1; break;
  case 27: x[variable] = 1; break;
  case 28: x[variable] = 1; break;
  case 29: x[variable] = 1; break;
  case 30: x[variable] = 1; break;
  case 31: x[variable] = 1; break;
  case 32: x[variable] = 1; break;
  case 33: x[variable] = 1; break;
  case 34: x[variable] = 1; break;
  case 35: x[variable] = 1; break;
  case 36: x[variable] = 1; break;
  case 37: x[variable] = 1; break;
  case 38: x[variable] = 1; break;
  case 39: x[variable] = 1; break;
  case 40: x[variable] = 1; break;
  case 41: x[variable] = 1; break;
  case 42: x[variable] = 1; break;
  case 43: x[variable] = 1; break;
  case 44: x[variable] = 1; break;
  case 45: x[variable] = 1; break;
  case 46: x[variable] = 1; break;
  case 47: x[variable] = 1; break;
  case 48: x[variable] = 1; break;
  case 49: x[variable] = 1; break;
  case 50: x[variable] = 1; break;
  case 51: x[variable] = 1; break;
  case 52: x[variable] = 1; break;
  case 53: x[variable] = 1; break;
  case 54: x[variable] = 1; break;
  case 55: x[variable] = 1; break;
  case 56: x[variable] = 1; break;
  case 57: x[variable] = 1; break;
  case 58: x[variable] = 1; break;
  case 59: x[variable] = 1; break;
  case 60: x[variable] = 1; break;
  case 61: x[variable] = 1; break;
  case 62: x[variable] = 1; break;
  case 63: x[variable] = 1; break;
  }
}

static int number(const char *&at) { return (int)strtol(at, const_cast<char **>(&at), 10); }

// Past the block that begins here.
static const char *after(const char *at) {
  int depth = 0;
  do {
    depth += *at == '{';
    depth -= *at == '}';
    ++at;
  } while (depth > 0);
  return at;
}
