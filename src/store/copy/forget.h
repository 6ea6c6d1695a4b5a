/* store/copy/forget.h — takes the secrets out of a store whose key is lost.
 *
 * An engine does not start with secrets that it cannot open: calls would fail one by one. If nobody has their
 * key any more, this makes the store one without secrets.
 */
#ifndef STORE_COPY_FORGET_H
#define STORE_COPY_FORGET_H

#include "base/status.h"
#include "base/str.h"

/* The name of a secret; it lives until the function returns. */
typedef void store_forgot_fn(void *context, str name);

/* Removes all secrets, and tells their names. If it fails, none of them was removed. ST_CONFLICT: an engine
 * has the store open. */
enum status store_forget_secrets(const char *path, store_forgot_fn *forgot, void *context, struct error *err);

#endif
