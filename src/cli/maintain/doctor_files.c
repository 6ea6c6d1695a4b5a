/* cli/maintain/doctor_files.c — the files of the store, their modes, and the age of the backup. */
#include "base/clock.h"
#include "cli/maintain/backup_note.h"
#include "cli/maintain/doctor_int.h"
#include "cli/limits.h"
#include "store/store.h"
#include "vault/vault.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void doctor_directory(struct diagnosis *diagnosis)
{
    struct stat about;
    str path = str_of(diagnosis->data);
    if (stat(diagnosis->data, &about) != 0) {
        bool missing = errno == ENOENT;
        doctor_report(diagnosis, missing ? DOUBTFUL : WRONG, "directory",
                      arena_printf(diagnosis->arena, "%.*s: %s", STR_ARG(path), strerror(errno)),
                      missing ? "`pawl serve` makes it; give --data DIR if the store is elsewhere"
                              : "let the engine's user in");
        return;
    }
    if (!S_ISDIR(about.st_mode))
        doctor_report(diagnosis, WRONG, "directory",
                      arena_printf(diagnosis->arena, "%.*s is no directory", STR_ARG(path)),
                      "give --data DIR");
    else if (access(diagnosis->data, W_OK | X_OK) != 0)
        doctor_report(diagnosis, WRONG, "directory",
                      arena_printf(diagnosis->arena, "%.*s cannot be written by this user", STR_ARG(path)),
                      "run this as the engine's user, or give the directory to it");
    else if (about.st_mode & S_IWOTH)
        doctor_report(diagnosis, WRONG, "directory",
                      arena_printf(diagnosis->arena, "%.*s can be written by everybody", STR_ARG(path)),
                      "chmod 750 it");
    else doctor_report(diagnosis, FINE, "directory", path, NULL);
}

void doctor_store(struct diagnosis *diagnosis)
{
    str path = arena_printf(diagnosis->arena, "%s/pawl.db", diagnosis->data);
    struct store_config config = { .path = path.p, .read_only = true, .must_not_migrate = true };
    struct store *store;
    struct stat about;
    struct error err;
    if (stat(path.p, &about) != 0) {
        if (access(diagnosis->data, X_OK) == 0)
            doctor_report(diagnosis, FINE, "store", STR("there is none yet"), NULL);
        return;
    }
    if (about.st_mode & S_IROTH)
        doctor_report(diagnosis, DOUBTFUL, "store",
                      arena_printf(diagnosis->arena, "%.*s can be read by everybody", STR_ARG(path)),
                      "chmod 600 it");
    if (store_open(&config, &store, &err) != ST_OK) {
        doctor_report(diagnosis, WRONG, "store", str_of(err.message),
                      "`pawl store check` tells more; docs/operations.md has the ways back");
        return;
    }
    store_close(store);
    doctor_report(
        diagnosis, FINE, "store",
        arena_printf(diagnosis->arena, "%.*s, %lld MB", STR_ARG(path), (long long)about.st_size >> 20), NULL);
}

/* ---- files with keys ---- */

static void look_at_key(struct diagnosis *diagnosis, const char *thing, const char *path)
{
    struct error err;
    if (access(path, R_OK) != 0)
        doctor_report(diagnosis, WRONG, thing,
                      arena_printf(diagnosis->arena, "%s: %s", path, strerror(errno)),
                      "let the engine's user read it, or correct the setting");
    else if (vault_check_readers(path, "the file", &err) != ST_OK)
        doctor_report(diagnosis, WRONG, thing, str_of(err.message), "the engine refuses such a file");
    else doctor_report(diagnosis, FINE, thing, str_of(path), NULL);
}

void doctor_keys(struct diagnosis *diagnosis)
{
    static const struct {
        enum option option;
        const char *thing;
    } files[] = { { OPTION_AUTH_TOKEN_FILE, "token file" },
                  { OPTION_TLS_KEY, "TLS key" },
                  { OPTION_SECRETS_KEY, "secrets key" } };
    for (size_t i = 0; i < COUNT(files); i++) {
        const char *path = option_path(diagnosis->options, files[i].option);
        if (path) look_at_key(diagnosis, files[i].thing, path);
    }
    if (option_path(diagnosis->options, OPTION_SECRETS_KEY) || !diagnosis->data) return;
    const char *beside = arena_printf(diagnosis->arena, "%s/pawl.db.key", diagnosis->data).p;
    if (access(beside, F_OK) == 0) look_at_key(diagnosis, "secrets key", beside);
}

/* ---- the backup ---- */

void doctor_backup(struct diagnosis *diagnosis)
{
    static const char advice[] =
        "back it up every day: `pawl store backup FILE` (a file that another tool copies is not seen here)";
    struct clock clock = clock_system();
    int64_t at_ms, age_ms;
    if (access(arena_printf(diagnosis->arena, "%s/pawl.db", diagnosis->data).p, F_OK) != 0) return;
    if (!backup_note_read(diagnosis->data, &at_ms)) {
        doctor_report(diagnosis, DOUBTFUL, "backup", STR("`pawl store backup` has never made one"), advice);
        return;
    }
    age_ms = clock_now_ms(&clock) - at_ms;
    bool old = age_ms > BACKUP_OLD_MS;
    doctor_report(diagnosis, old ? DOUBTFUL : FINE, "backup",
                  arena_printf(diagnosis->arena, "the last one is %lld hours old",
                               (long long)(age_ms < 0 ? 0 : age_ms / 3600000)),
                  old ? advice : NULL);
}
