/* api/grpc/message_int.h — protobuf messages: bytes to structs in an arena, and back.
 *
 * Bytes from outside are walked before protobuf-c sees them, because it goes as deep as they say, ends a text
 * at its first NUL, does not look at its encoding, and copies everything again for each repetition of a
 * message that may be there once. Refused:
 *
 *     bytes that are not fields, groups                 ST_INVALID
 *     a text that is not UTF-8, or has a NUL            ST_INVALID
 *     a message twice where one may be                  ST_INVALID
 *     more than MESSAGE_DEPTH_MAX inside each other     ST_LIMIT
 *     more than MESSAGE_MEMORY_MAX when unpacked        ST_LIMIT
 *
 * Fields that we do not know are ignored, as protobuf wants it.
 */
#ifndef API_GRPC_MESSAGE_INT_H
#define API_GRPC_MESSAGE_INT_H

#include "api/limits.h"
#include "base/buf.h"
#include "base/status.h"

#include <protobuf-c/protobuf-c.h>

/* Allocates in an arena, and frees nothing. */
ProtobufCAllocator message_allocator(struct arena *arena);

/* Are the bytes a message of that type that we take? `ret_hash` (may be NULL) gets a hash that is the same
 * for the same message: most clients write the entries of a map in another order each time. */
enum status message_check(const ProtobufCMessageDescriptor *type, str bytes, uint64_t *ret_hash,
                          struct error *err);

/* Checks and unpacks. The message lives in the arena, all of it. */
enum status message_unpack(const ProtobufCMessageDescriptor *type, str bytes, struct arena *arena,
                           ProtobufCMessage **ret_message, struct error *err);

/* Appends the bytes of a message. */
void message_pack(const ProtobufCMessage *message, struct buf *out);
/* Appends a message as a field of the one whose bytes these are: the items of a long list are packed one by
 * one. */
void message_pack_part(uint32_t number, const ProtobufCMessage *part, struct buf *out);
/* Appends a number as a field, unless it is 0. */
void message_pack_number(uint32_t number, uint64_t value, struct buf *out);

/* A text as protobuf-c has it. A NUL, which it cannot hold, becomes U+FFFD. */
char *message_text(struct arena *arena, str text);

#endif
