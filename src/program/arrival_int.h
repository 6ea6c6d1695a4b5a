/* program/arrival_int.h — what the files about arrivals share. */
#ifndef PROGRAM_ARRIVAL_INT_H
#define PROGRAM_ARRIVAL_INT_H

#include "program/arrival.h"

/* A parameter of a header: charset=utf-8. Empty: it is not given. */
str arrival_parameter(str header, str name);

/* The fields of a form, as schema_coerce() takes them. ST_INVALID: the bytes are no form, or it has more than
 * ARRIVAL_FORM_FIELDS_MAX fields. */
enum status arrival_read_form(const struct arrival_event *event, struct arena *arena,
                              const struct json **ret_fields, struct error *err);

#endif
