/* net/parse_chunks.c — the chunked transfer coding, byte by byte.
 *
 *     size [; extension] CRLF  data CRLF  ...  0 [; extension] CRLF  *(field CRLF)  CRLF
 *
 *     SIZE_FIRST -> SIZE -> [EXTENSION] -> SIZE_LF -> DATA -> DATA_CR -> DATA_LF -> SIZE_FIRST
 *                                             |
 *                        (size 0)             +-> TRAILER -> NAME -> VALUE -> FIELD_LF -> TRAILER
 *                                                    +-> END_LF -> complete
 *
 * Only what RFC 9112 writes is accepted: no white space around the size, no bare LF, no sign.
 */
#include "net/limits.h"
#include "net/parse_int.h"

#include "base/ascii.h"

enum chunk_state {
    SIZE_FIRST,
    SIZE,
    EXTENSION,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER,
    NAME,
    VALUE,
    FIELD_LF,
    END_LF,
};

static bool is_text(char c) { return c == '\t' || ((uint8_t)c >= 0x20 && c != 0x7f); }

static int add_digit(struct http_chunks *chunks, int digit, size_t room)
{
    if (chunks->left >> 60) return -413;
    chunks->left = chunks->left * 16 + (uint64_t)digit;
    if (chunks->left > room) return -413;
    chunks->state = SIZE;
    return 0;
}

/* One byte of a chunk's first line, or the line end behind its data. */
static int step_size(struct http_chunks *chunks, char c, size_t room)
{
    int digit = ascii_hex(c);
    switch (chunks->state) {
    case SIZE_FIRST: return digit < 0 ? -400 : add_digit(chunks, digit, room);
    case SIZE:
        if (digit >= 0) return add_digit(chunks, digit, room);
        if (c != ';' && c != '\r') return -400;
        chunks->state = c == ';' ? EXTENSION : SIZE_LF;
        return 0;
    case EXTENSION:
        if (c == '\r') chunks->state = SIZE_LF;
        else if (!is_text(c)) return -400;
        return 0;
    case SIZE_LF:
        if (c != '\n') return -400;
        chunks->state = chunks->left ? DATA : TRAILER;
        chunks->line_bytes = 0;
        return 0;
    case DATA_CR:
        if (c != '\r') return -400;
        chunks->state = DATA_LF;
        return 0;
    default: /* DATA_LF */
        if (c != '\n') return -400;
        chunks->state = SIZE_FIRST;
        chunks->line_bytes = 0;
        return 0;
    }
}

static int step_trailer(struct http_chunks *chunks, char c)
{
    switch (chunks->state) {
    case TRAILER:
        if (c != '\r' && !parse_is_name(c)) return -400;
        chunks->state = c == '\r' ? END_LF : NAME;
        return 0;
    case NAME:
        if (c == ':') chunks->state = VALUE;
        else if (!parse_is_name(c)) return -400;
        return 0;
    case VALUE:
        if (c == '\r') chunks->state = FIELD_LF;
        else if (!is_text(c)) return -400;
        return 0;
    default: /* FIELD_LF */
        if (c != '\n') return -400;
        chunks->state = TRAILER;
        return 0;
    }
}

int64_t http_parse_chunks(struct http_chunks *state, str bytes, size_t body_max, struct buf *out,
                          bool *ret_complete)
{
    size_t at = 0;
    *ret_complete = false;
    while (at < bytes.n) {
        if (state->state == DATA) {
            size_t n = bytes.n - at < state->left ? bytes.n - at : (size_t)state->left;
            buf_add(out, bytes.p + at, n);
            at += n;
            state->left -= n;
            if (!state->left) state->state = DATA_CR;
            continue;
        }
        char c = bytes.p[at++];
        state->line_bytes++;
        if (state->state == END_LF) {
            if (c != '\n') return -400;
            *ret_complete = true;
            break;
        }
        bool trailer = state->state >= TRAILER;
        if (trailer && state->line_bytes > TRAILER_BYTES_MAX) return -431;
        if (!trailer && state->line_bytes > SIZE_LINE_BYTES_MAX) return -400;
        size_t room = out->n < body_max ? body_max - out->n : 0;
        int verdict = trailer ? step_trailer(state, c) : step_size(state, c, room);
        if (verdict < 0) return verdict;
    }
    return (int64_t)at;
}
