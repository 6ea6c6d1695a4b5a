/* cli/folder/names.c — where definitions are listed, and from the id of one to the name of its file. */
#include "base/ascii.h"
#include "base/hash.h"
#include "cli/folder/folder.h"
#include "cli/limits.h"

/* A dot at the beginning would hide the file, or lead to the folder around it. */
static bool is_plain(char c, bool is_first)
{
    return ascii_is_alphanumeric((unsigned char)c) || c == '-' || c == '_' || (c == '.' && !is_first);
}

str folder_name_of(str id, struct arena *arena)
{
    struct buf name;
    buf_init(&name, arena);
    for (size_t i = 0; i < id.n; i++) {
        if (is_plain(id.p[i], !i)) buf_add_char(&name, id.p[i]);
        else buf_printf(&name, "%%%02X", (unsigned char)id.p[i]);
    }
    if (name.n > FOLDER_NAME_BYTES_MAX) {
        name.n = FOLDER_NAME_BYTES_MAX;
        buf_printf(&name, "-%016llx", (unsigned long long)hash_bytes(id));
    }
    buf_add_str(&name, STR(".json"));
    return buf_str(&name);
}

str folder_page(int64_t page, struct arena *arena)
{
    return arena_printf(arena, "/v1/definitions?pageSize=%d&page=%lld", FOLDER_PAGE, (long long)page);
}
