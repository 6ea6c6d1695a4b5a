/* net/weighted.h — lists of headers whose items may have weights: "gzip;q=0.5, br". */
#ifndef NET_WEIGHTED_H
#define NET_WEIGHTED_H

#include "base/str.h"

enum { WEIGHT_WHOLE = 1000 }; /* An item without a weight has this one. */

struct weighted_item {
    str name;       /* "gzip", without its parameters. */
    str parameters; /* "q=0.5"; empty: it has none. */
    int weight;     /* In thousandths: 0 means "not this one". */
};

/* Takes the next item of a list with commas; false: there is none. */
bool weighted_next_item(str *list, str *ret_item);
/* The same, read: name, parameters and weight. A weight that is not a number of 0 to 1 is 0. */
bool weighted_next(str *list, struct weighted_item *ret_item);

#endif
