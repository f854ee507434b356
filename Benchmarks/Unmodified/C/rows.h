// rows.h: what the files of this program share.
#ifndef ROWS_H
#define ROWS_H

// A piece of work. Operations per call are the same on every library, so that both meet the same backlog.
struct row {
  const char *name;
  long batch;
  void (*run)(long count);
};

// Ends with a row without a name.
extern const struct row rows[];

#endif
