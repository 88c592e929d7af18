// A health system: villages in a tree, a task for each child of a village in each step. Patients that are referred wait in
// the child's outbox until its parent has waited for it (DRDP's health, on HClib, with outboxes).
// expect: race-free all-schedules
// args: 3 4 20
#include "hclib_cpp.h"
#include <cassert>
#include <cstdlib>

typedef struct Patient {
  struct Patient *next;
  unsigned seed;
  int left, hospitals, visits;
} Patient;

typedef struct {
  Patient *first;
} List;

typedef struct Village {
  struct Village *children, *parent;
  List population, waiting, assess, inside, outbox, referred;
  unsigned seed;
  int level, staff, spare, cured;
} Village;

static int levels, cities;

static unsigned draw(unsigned *seed, unsigned below) {
  *seed = *seed * 1103515245u + 12345u;
  return (*seed >> 16) % below;
}

static void append(List *list, Patient *patient) {
  Patient **at = &list->first;
  while (*at)
    at = &(*at)->next;
  patient->next = NULL;
  *at = patient;
}

static Patient *unlink_at(Patient **at) {
  Patient *patient = *at;
  *at = patient->next;
  return patient;
}

static void build(Village *village, Village *parent, int level, unsigned seed) {
  *village = Village();
  village->parent = parent, village->seed = seed, village->level = level;
  village->staff = village->spare = 1 << level;
  for (int i = 0; i < (level + 1) * 10; i++) {
    Patient *patient = (Patient *)calloc(1, sizeof(Patient));
    patient->seed = seed + i;
    append(&village->population, patient);
  }
  if (level == 0)
    return;
  village->children = (Village *)calloc(cities, sizeof(Village));
  for (int i = 0; i < cities; i++)
    build(&village->children[i], village, level - 1, seed * cities + i + 1);
}

static void treat(Village *village) {
  for (Patient **at = &village->inside.first; *at;)
    if (--(*at)->left == 0) {
      village->spare++;
      village->cured++;
      append(&village->population, unlink_at(at));
    } else
      at = &(*at)->next;
}

static void assess(Village *village) {
  for (Patient **at = &village->assess.first; *at;) {
    Patient *patient = *at;
    if (--patient->left > 0) {
      at = &patient->next;
      continue;
    }
    unlink_at(at);
    unsigned chance = draw(&patient->seed, 100);
    if (chance < 30 && village->parent) {
      village->spare++;
      append(&village->outbox, patient);
    } else if (chance < 70) {
      patient->left = 4;
      append(&village->inside, patient);
    } else {
      village->spare++;
      append(&village->population, patient);
    }
  }
}

static void admit(Village *village) {
  while (village->waiting.first && village->spare > 0) {
    Patient *patient = unlink_at(&village->waiting.first);
    village->spare--;
    patient->hospitals++;
    patient->left = 3;
    append(&village->assess, patient);
  }
}

static void receive(Village *village) {
  while (village->referred.first)
    append(&village->waiting, unlink_at(&village->referred.first));
}

static void fall_ill(Village *village) {
  for (Patient **at = &village->population.first; *at;)
    if (draw(&(*at)->seed, 100) < 5) {
      (*at)->visits++;
      append(&village->waiting, unlink_at(at));
    } else
      at = &(*at)->next;
}

static void simulate(Village *village) {
  hclib::finish([=]() {
    for (int i = 0; i < cities && village->children; i++) {
      Village *child = &village->children[i];
      hclib::async([=]() { simulate(child); });
    }
  });
  for (int i = 0; i < cities && village->children; i++)
    while (village->children[i].outbox.first)
      append(&village->referred, unlink_at(&village->children[i].outbox.first));
  treat(village);
  assess(village);
  admit(village);
  receive(village);
  fall_ill(village);
}

static long length(List list) {
  long length = 0;
  for (; list.first; list.first = list.first->next)
    length++;
  return length;
}

// How many patients there are in and below a village; its staff is where its patients are.
static long people(const Village *village) {
  long all = length(village->population) + length(village->waiting) + length(village->assess) +
             length(village->inside) + length(village->outbox) + length(village->referred);
  assert(village->spare + length(village->assess) + length(village->inside) == village->staff);
  for (int i = 0; i < cities && village->children; i++)
    all += people(&village->children[i]);
  return all;
}

int main(int argc, char **argv) {
  levels = argc > 1 ? atoi(argv[1]) : 4;
  cities = argc > 2 ? atoi(argv[2]) : 18;
  int steps = argc > 3 ? atoi(argv[3]) : 365;
  Village root;
  build(&root, NULL, levels - 1, 1);
  long before = people(&root);
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [&]() {
    for (int step = 0; step < steps; step++)
      simulate(&root);
  });
  assert(people(&root) == before);
  assert(root.cured > 0);
  return 0;
}
