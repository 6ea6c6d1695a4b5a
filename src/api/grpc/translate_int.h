/* api/grpc/translate_int.h — definitions of the steps dialect as messages.
 *
 * The messages have the fields of the JSON document, under names that follow from each other: next_step is
 * "nextStep", STEP_TYPE_END is "END". So one pair of functions reads and writes all of them by their
 * descriptors. A field without a value (0, "", no items) is not in the document.
 */
#ifndef API_GRPC_TRANSLATE_INT_H
#define API_GRPC_TRANSLATE_INT_H

#include "api/grpc/value_int.h"

/* Writes the JSON text of a message. */
enum status translate_print(const ProtobufCMessage *message, struct arena *scratch, struct buf *out,
                            struct error *err);

/* Fills in an initialised message from the members of an object. Members that the message has no field for,
 * or one of another type, are left out. */
void translate_read(const struct json *object, struct arena *arena, ProtobufCMessage *message);

/* The value of an enum whose name is the prefix and the word; 0 if there is none. */
int translate_enum(const ProtobufCEnumDescriptor *type, str word);

#endif
