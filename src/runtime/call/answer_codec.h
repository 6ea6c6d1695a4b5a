/* runtime/call/answer_codec.h — the answer of a call as bytes, to be given again later.
 *
 * Under an idempotency key the engine stores what a call was answered with: the value, not the text of a
 * protocol. A replay decodes it into the answer fields of the new call, and from there both calls go the same
 * way: whoever serves the client renders the same value, so the texts are the same.
 *
 * Every command that can carry a key has a form here. Answers of reads are not stored.
 */
#ifndef RUNTIME_CALL_ANSWER_CODEC_H
#define RUNTIME_CALL_ANSWER_CODEC_H

#include "runtime/call/call.h"

/* Returns the answer of a command that took effect, as bytes in the arena. An instance whose data could not
 * fit into answer_max is stored without it, as it would be shown. */
str answer_encode(const struct call *call, struct arena *arena);

/* Fills in the answer from bytes of answer_encode(). The call must be of the same kind and have as many
 * items or events as the first; what it asks stays as it is. ST_INTERNAL if the bytes are damaged or of
 * another kind: then the answer is not to be used. Safe on bytes from anywhere. */
enum status answer_decode(str bytes, struct call *call, struct error *err);

#endif
