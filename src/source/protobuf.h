/* source/protobuf.h — Protobuf messages as JSON documents, for payloads of arrivals.
 *
 * The schema is a FileDescriptorSet, as `protoc --include_imports --descriptor_set_out` writes it.
 *
 *  - A message is an object. Its members have the names of JSON: `json_name`, which protoc derives from the
 *    field's name (room_temperature → roomTemperature).
 *  - Integers keep all their digits, whatever their width. Floating-point numbers that are not finite are the
 *    strings "NaN", "Infinity" and "-Infinity". Bytes are base64. A value of an enum is its name, and one
 *    without a name its number.
 *  - A repeated field is an array, a map an object whose names are the keys' texts.
 *  - A field that has no presence (a scalar of proto3 that is neither `optional` nor of a oneof) and is not
 *    in the message is its default: 0, false, "", the enum's first name. Repeated fields and maps are empty
 *    then. Other fields that are not in the message are left out.
 *  - Fields that the schema does not know are skipped, groups too. Types of google.protobuf are messages like
 *    any others.
 */
#ifndef SOURCE_PROTOBUF_H
#define SOURCE_PROTOBUF_H

#include "base/arena.h"
#include "base/status.h"
#include "json/json.h"

struct protobuf_type;

/* Finds a message by its full name ("acme.Reading"). It and all that it needs is copied to the arena.
 * ST_INVALID: the bytes are no such set, or a type that a field has is not in it. ST_NOT_FOUND: there is no
 * such message. ST_LIMIT. */
enum status protobuf_read_schema(str set, str message, struct arena *arena,
                                 const struct protobuf_type **ret_type, struct error *err);

/* ST_INVALID: the bytes are no such message. ST_LIMIT: it is nested
 * too deep, or has too many values. */
enum status protobuf_parse(const struct protobuf_type *type, str bytes, struct arena *arena,
                           const struct json **ret_value, struct error *err);

#endif
