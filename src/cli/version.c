/* cli/version.c — `pawl version`: which program this is, and what it can use on this machine. */
#include "api/api.h"
#include "base/libpq.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "perform/libcurl.h"
#include "trigger/libmosquitto.h"

#include <openssl/crypto.h>
#include <sqlite3.h>

/* The Makefile writes the commit that the program is built from into a header; empty: there is no
 * repository. */
static const char commit[] = PAWL_COMMIT;

static void add_library(struct buf *out, const char *use, const char *name, bool is_there)
{
    buf_printf(out, "%-18s%s%s\n", use, name, is_there ? "" : ": not on this machine");
}

int verb_version(const struct options *options)
{
    struct buf out;
    struct error err;
    buf_init(&out, options->arena);
    buf_add_str(&out, STR("pawl " PAWL_VERSION "\n"));
    if (commit[0]) buf_printf(&out, "%-18s%s\n", "commit", commit);
    buf_printf(&out, "%-18s%s\n", "web application", api_has_ui() ? "built in" : "left out");
    buf_printf(&out, "%-18sSQLite %s\n", "store", sqlite3_libversion());
    add_library(&out, "PostgreSQL", "libpq", libpq_load(&err) == ST_OK);
    add_library(&out, "MQTT", "libmosquitto", libmosquitto_load(&err) == ST_OK);
    add_library(&out, "calls and e-mail", "libcurl", libcurl_load(&err) == ST_OK);
    buf_printf(&out, "%-18s%s\n", "TLS", OpenSSL_version(OPENSSL_VERSION));
    return output_write(buf_str(&out));
}
