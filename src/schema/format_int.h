/* schema/format_int.h — formats of strings, by the standards that JSON Schema names. */
#ifndef SCHEMA_FORMAT_INT_H
#define SCHEMA_FORMAT_INT_H

#include "schema/schema_int.h"

/* RFC 3339, with its appendix A for durations (format_time.c) */
schema_format_fn schema_format_date, schema_format_time, schema_format_date_time, schema_format_duration;

/* RFC 2673, RFC 4291, RFC 1123, RFC 5321 (format_net.c). The forms with `idn` take characters beyond ASCII as
 * letters; the tables of IDNA are not consulted. */
schema_format_fn schema_format_ipv4, schema_format_ipv6, schema_format_hostname, schema_format_idn_hostname,
    schema_format_email, schema_format_idn_email;

/* RFC 3986, RFC 3987, RFC 6570 (format_uri.c) */
schema_format_fn schema_format_uri, schema_format_uri_reference, schema_format_iri,
    schema_format_iri_reference, schema_format_uri_template;

#endif
