/* cli/access/credentials.h — logins that `pawl login` keeps for later commands, one for each server.
 *
 * They are in pawl/credentials.json of the user's configuration folder (XDG_CONFIG_HOME, else ~/.config),
 * which nobody else can read. A file that others can read is refused, because its keys may be known.
 */
#ifndef CLI_ACCESS_CREDENTIALS_H
#define CLI_ACCESS_CREDENTIALS_H

#include "base/arena.h"
#include "base/status.h"

/* The result of a login: it has a key or a cookie. */
struct credentials {
    str server; /* Its URL, without a slash at the end. */
    str tenant; /* Empty: the one that the engine chooses. */
    str user;   /* Empty: a key. */
    str key;
    str cookie; /* NAME=VALUE of a session. */
};

/* The login of that server; of the last login if the server is empty. Without one, all parts are empty.
 * ST_FORBIDDEN: others can read the file. ST_INVALID: it is damaged. */
enum status credentials_find(str server, struct arena *arena, struct credentials *ret_login,
                             struct error *err);

/* Keeps a login in place of the one that its server had, as the last one. The file is replaced as a whole. */
enum status credentials_keep(const struct credentials *login, struct arena *arena, struct error *err);

/* Forgets the login of that server, if there is one. */
enum status credentials_forget(str server, struct arena *arena, struct error *err);

#endif
