/* cli/access/credentials.c — the file of logins.
 *
 *     { "last": URL, "servers": { URL: { "tenant", "user", "key" or "cookie" } } }
 */
#include "cli/access/credentials.h"

#include "cli/serve/directory.h"
#include "cli/input.h"
#include "cli/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OTHERS = S_IRWXG | S_IRWXO };

/* ---- its place ---- */

/* The user's folder for settings of programs, or NULL. */
static const char *config_folder(struct arena *arena)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && config[0] == '/') return config;
    return home && *home ? arena_printf(arena, "%s/.config", home).p : NULL;
}

static str without_slash(str url)
{
    while (url.n && url.p[url.n - 1] == '/') url.n--;
    return url;
}

/* ---- reading ---- */

static enum status check_private(int fd, const char *path, struct error *err)
{
    struct stat about;
    if (fstat(fd, &about) != 0) return fail(err, ST_INVALID, path, "%s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return fail(err, ST_INVALID, path, "%s is not a file", path);
    if (about.st_uid != geteuid())
        return fail(err, ST_FORBIDDEN, path, "%s belongs to somebody else; remove it and sign in again",
                    path);
    if (!(about.st_mode & OTHERS)) return ST_OK;
    return fail(err, ST_FORBIDDEN, path,
                "others can read %s, so they may have your keys: rotate them, remove the file and sign in "
                "again",
                path);
}

/* The text of the file; empty if there is none. */
static enum status read_text(const char *path, struct arena *arena, str *ret_text, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *ret_text = STR_NONE;
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return ST_OK;
    if (fd < 0) return fail(err, ST_INVALID, path, "%s: %s", path, strerror(errno));
    enum status status = check_private(fd, path, err);
    char *bytes = arena_alloc(arena, CREDENTIALS_BYTES_MAX);
    ssize_t n = status == ST_OK ? read(fd, bytes, CREDENTIALS_BYTES_MAX) : 0;
    close(fd);
    if (n < 0) return fail(err, ST_INVALID, path, "%s: %s", path, strerror(errno));
    *ret_text = (str){ bytes, (size_t)n };
    return status;
}

/* The document of the file; an empty object if there is none. */
static enum status read_document(const char *path, struct arena *arena, const struct json **ret_document,
                                 struct error *err)
{
    const struct json *document = json_empty_object();
    str text;
    TRY(read_text(path, arena, &text, err));
    bool is_good = !text.n || (json_parse(text, NULL, arena, &document, NULL) == ST_OK &&
                               json_is(document, JSON_OBJECT));
    if (!is_good) return fail(err, ST_INVALID, path, "%s is damaged; remove it and sign in again", path);
    *ret_document = document;
    return ST_OK;
}

enum status credentials_find(str server, struct arena *arena, struct credentials *ret_login,
                             struct error *err)
{
    const char *folder = config_folder(arena);
    const struct json *document;
    *ret_login = (struct credentials){ 0 };
    if (!folder) return ST_OK;
    TRY(read_document(arena_printf(arena, "%s/pawl/credentials.json", folder).p, arena, &document, err));
    str name = server.n ? without_slash(server) : json_text(document, STR("last"));
    const struct json *entry = json_get(json_get(document, STR("servers")), name);
    if (!entry) return ST_OK;
    *ret_login = (struct credentials){ .server = name,
                                       .tenant = json_text(entry, STR("tenant")),
                                       .user = json_text(entry, STR("user")),
                                       .key = json_text(entry, STR("key")),
                                       .cookie = json_text(entry, STR("cookie")) };
    return ST_OK;
}

/* ---- writing ---- */

static enum status write_whole(int fd, const char *path, str text, struct error *err)
{
    bool written = true;
    for (size_t at = 0; at < text.n && written;) {
        ssize_t n = write(fd, text.p + at, text.n - at);
        if (n < 0 && errno == EINTR) continue;
        written = n > 0;
        if (written) at += (size_t)n;
    }
    written = written && fsync(fd) == 0;
    return written ? ST_OK : fail(err, ST_INTERNAL, path, "%s: %s", path, strerror(errno));
}

/* Another file takes the place of the old one, so that a reader sees one of them whole. */
static enum status replace_file(const char *path, str text, struct arena *arena, struct error *err)
{
    const char *draft = arena_printf(arena, "%s.%d", path, (int)getpid()).p;
    unlink(draft);
    int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd < 0) return fail(err, ST_INTERNAL, draft, "%s: %s", draft, strerror(errno));
    enum status status = write_whole(fd, draft, text, err);
    close(fd);
    if (status == ST_OK && rename(draft, path) != 0)
        status = fail(err, ST_INTERNAL, path, "%s: %s", path, strerror(errno));
    if (status != ST_OK) unlink(draft);
    return status;
}

static enum status make_folder(const char *config, const char *folder, struct arena *arena, struct error *err)
{
    TRY(directory_make(config, arena, err));
    if (mkdir(folder, S_IRWXU) != 0 && errno != EEXIST)
        return fail(err, ST_INTERNAL, folder, "%s: %s", folder, strerror(errno));
    if (chmod(folder, S_IRWXU) == 0) return ST_OK;
    return fail(err, ST_INTERNAL, folder, "%s: %s", folder, strerror(errno));
}

static const struct json *entry_of(const struct credentials *login, struct arena *arena)
{
    const struct {
        const char *name;
        str text;
    } member[] = { { "tenant", login->tenant },
                   { "user", login->user },
                   { "key", login->key },
                   { "cookie", login->cookie } };
    const struct json *entry = json_empty_object();
    for (size_t i = 0; i < COUNT(member); i++)
        if (member[i].text.n)
            entry = json_set(arena, entry, str_of(member[i].name), json_of_string(arena, member[i].text));
    return entry;
}

/* Writes the file with another entry for the server; NULL: with none. */
static enum status change(str server, const struct json *entry, struct arena *arena, struct error *err)
{
    const char *config = config_folder(arena);
    const struct json *document;
    struct buf text;
    if (!config)
        return fail(err, ST_INVALID, "", "neither XDG_CONFIG_HOME nor HOME says where to keep a login");
    const char *folder = arena_printf(arena, "%s/pawl", config).p;
    const char *path = arena_printf(arena, "%s/credentials.json", folder).p;
    TRY(read_document(path, arena, &document, err));
    const struct json *servers = json_get(document, STR("servers"));
    if (!json_is(servers, JSON_OBJECT)) servers = json_empty_object();
    bool is_last = str_equal(json_text(document, STR("last")), server);
    servers = entry ? json_set(arena, servers, server, entry) : json_without(arena, servers, server);
    document = json_set(arena, document, STR("servers"), servers);
    if (entry) document = json_set(arena, document, STR("last"), json_of_string(arena, server));
    else if (is_last) document = json_without(arena, document, STR("last"));
    buf_init(&text, arena);
    json_print_pretty(document, &text);
    buf_add_char(&text, '\n');
    TRY(make_folder(config, folder, arena, err));
    return replace_file(path, buf_str(&text), arena, err);
}

enum status credentials_keep(const struct credentials *login, struct arena *arena, struct error *err)
{
    return change(without_slash(login->server), entry_of(login, arena), arena, err);
}

enum status credentials_forget(str server, struct arena *arena, struct error *err)
{
    struct credentials login;
    TRY(credentials_find(server, arena, &login, err));
    return login.server.n ? change(login.server, NULL, arena, err) : ST_OK;
}
