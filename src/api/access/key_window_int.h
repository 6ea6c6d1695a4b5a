/* api/access/key_window_int.h — when a trusted key or a key pair counts: windows and grace periods. */
#ifndef API_ACCESS_KEY_WINDOW_INT_H
#define API_ACCESS_KEY_WINDOW_INT_H

#include "api/access/records_int.h"

#define KEY_WINDOW_MS (INT64_C(365) * 24 * 3600 * 1000) /* A key's window, unless somebody says. */

struct key_window {
    int64_t from_ms, to_ms;
};

int64_t key_window_now_ms(void);
/* From validFrom and validTo of the body: from now, for a year, unless they say. */
enum status key_window_read(const struct json *body, struct key_window *ret_window, struct error *err);
/* The same for a key that counts again: validTo must be there, and in the future. */
enum status key_window_read_again(const struct json *body, struct key_window *ret_window, struct error *err);
/* Seconds; 0 unless they are said. */
enum status key_window_read_grace(const struct json *body, const char *name, int64_t *ret_ms,
                                  struct error *err);
/* Adds both members to the open object. */
void key_window_add(struct json_builder *builder, const struct key_window *window);
/* Writes those of the members that the view of a key has, each behind a comma. */
void key_window_put(struct buf *out, const struct json *view, const str *name, size_t count);
/* The answer that says no more than that it was done. */
void key_window_render_done(const struct call *call, int *ret_http_status, struct buf *out);

#endif
