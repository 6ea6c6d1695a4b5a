/* net/grpc_text.c — texts of gRPC's headers: timeouts and messages. */
#include "net/grpc_int.h"
#include "net/limits.h"

#include "base/ascii.h"

static int64_t unit_ns(char unit)
{
    switch (unit) {
    case 'H': return INT64_C(3600000000000);
    case 'M': return INT64_C(60000000000);
    case 'S': return INT64_C(1000000000);
    case 'm': return 1000000;
    case 'u': return 1000;
    case 'n': return 1;
    default: return 0;
    }
}

/* At most eight digits: 99999999 hours in microseconds are far from the end of int64. */
bool grpc_parse_timeout(str text, int64_t *ret_us)
{
    if (text.n < 2 || text.n > 1 + GRPC_TIMEOUT_DIGITS_MAX) return false;
    int64_t value = 0, ns = unit_ns(text.p[text.n - 1]);
    if (!ns) return false;
    for (size_t i = 0; i + 1 < text.n; i++) {
        if (!ascii_is_digit(text.p[i])) return false;
        value = value * 10 + (text.p[i] - '0');
    }
    *ret_us = ns >= 1000 ? value * (ns / 1000) : (value + 999) / 1000;
    return true;
}

void grpc_encode_text(str text, struct buf *out)
{
    static const char digits[] = "0123456789ABCDEF";
    text = str_trim(text); /* Values of fields do not begin or end with blanks. */
    if (text.n > GRPC_TEXT_BYTES_MAX) {
        size_t n = GRPC_TEXT_BYTES_MAX;
        while (n && ((uint8_t)text.p[n] & 0xc0) == 0x80) n--; /* Not within a character. */
        text.n = n;
    }
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = (uint8_t)text.p[i];
        if (c >= ' ' && c <= '~' && c != '%') {
            buf_add_char(out, (char)c);
            continue;
        }
        buf_add_char(out, '%');
        buf_add_char(out, digits[c >> 4]);
        buf_add_char(out, digits[c & 15]);
    }
}

void grpc_add_frame(struct buf *out, str message)
{
    buf_add_char(out, 0);
    for (int i = FRAME_HEAD_BYTES - 2; i >= 0; i--) buf_add_char(out, (char)(message.n >> 8 * i));
    buf_add_str(out, message);
}

bool grpc_take_frame(str *frames, str *ret_message)
{
    size_t n = 0;
    if (frames->n < FRAME_HEAD_BYTES) return false;
    for (int i = 1; i < FRAME_HEAD_BYTES; i++) n = n << 8 | (unsigned char)frames->p[i];
    if (frames->n - FRAME_HEAD_BYTES < n) return false;
    *ret_message = str_slice(*frames, FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + n);
    *frames = str_slice(*frames, FRAME_HEAD_BYTES + n, frames->n);
    return true;
}
