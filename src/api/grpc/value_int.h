/* api/grpc/value_int.h — google.protobuf.Struct, Value and Timestamp as our values, and back.
 *
 * Numbers of a Value are doubles. Coming in, one that is an integer becomes an integer; NaN and the
 * infinities are refused. Going out, a number becomes the nearest double. The caller is told of values that a
 * Value cannot hold exactly, and sends the JSON text beside it: integers beyond 2^53, decimals with more
 * digits than a double keeps, numbers beyond all doubles (the largest double stands for them), texts with
 * U+0000 (U+FFFD stands for it).
 *
 * Entries of a Struct keep the order in which they came. If several entries have the same name, the last one
 * counts.
 */
#ifndef API_GRPC_VALUE_INT_H
#define API_GRPC_VALUE_INT_H

#include "api/grpc/message_int.h"
#include "json/json.h"

#include <google/protobuf/struct.pb-c.h>
#include <google/protobuf/timestamp.pb-c.h>

/* The object, in the arena. NULL if there is none. `name` is the field's, for errors. */
enum status value_read_struct(const Google__Protobuf__Struct *object, const char *name, struct arena *arena,
                              const struct json **ret_object, struct error *err);
enum status value_read(const Google__Protobuf__Value *value, const char *name, struct arena *arena,
                       const struct json **ret_value, struct error *err);

/* The message, in the arena. False: it is not exactly the value. */
bool value_write_struct(const struct json *object, struct arena *arena,
                        Google__Protobuf__Struct **ret_object);
bool value_write(const struct json *value, struct arena *arena, Google__Protobuf__Value **ret_value);

/* A Timestamp of whole milliseconds; NULL for 0, which means no time. */
Google__Protobuf__Timestamp *value_write_time(int64_t ms, struct arena *arena);
/* The last whole millisecond before it. False: it is not a time between the years 1 and 9999. */
bool value_read_time(const Google__Protobuf__Timestamp *time, int64_t *ret_ms);

#endif
