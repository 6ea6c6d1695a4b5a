/* cli/maintain/doctor_machine.c — the clock, the disk, limits and ports of this machine. */
#include "base/clock.h"
#include "base/datetime.h"
#include "cli/serve/address.h"
#include "cli/serve/disk.h"
#include "cli/maintain/doctor_int.h"
#include "net/net.h"
#include "torture/torture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/magic.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { SYNC_SLOW_US = 20000, NFS_MAGIC = 0x6969, ANSWER_TIMEOUT_MS = 1000 };

void doctor_clock(struct diagnosis *diagnosis)
{
    struct timex about = { .modes = 0 };
    struct clock clock = clock_system();
    char time[DATETIME_CHARS + 1];
    datetime_print(clock_now_ms(&clock), time);
    if (!clock_is_sane())
        doctor_report(diagnosis, WRONG, "clock", STR("the clock is not between 1970 and 9999"),
                      "set it; the engine does not start before");
    else if (adjtimex(&about) == TIME_ERROR || (about.status & STA_UNSYNC))
        doctor_report(
            diagnosis, DOUBTFUL, "clock",
            arena_printf(diagnosis->arena, "%s, and nothing keeps it right", time),
            "run an NTP client (chrony, systemd-timesyncd): timers and schedules follow this clock");
    else doctor_report(diagnosis, FINE, "clock", str_of(time), NULL);
}

void doctor_disk(struct diagnosis *diagnosis)
{
    struct statvfs disk;
    struct statfs system;
    if (statvfs(diagnosis->data, &disk) != 0) return; /* doctor_directory() tells of it. */
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize,
             all_bytes = (uint64_t)disk.f_blocks * disk.f_frsize;
    bool low = disk_is_low(free_bytes, all_bytes, false);
    str found = arena_printf(diagnosis->arena, "%llu MB of %llu MB free",
                             (unsigned long long)(free_bytes >> 20), (unsigned long long)(all_bytes >> 20));
    doctor_report(diagnosis, low ? DOUBTFUL : FINE, "disk", found,
                  low ? "make room, or let the engine remove ended instances (--retention)" : NULL);
    if (statfs(diagnosis->data, &system) == 0 && system.f_type == NFS_MAGIC)
        doctor_report(diagnosis, WRONG, "file system", STR("the directory is on a network file system (NFS)"),
                      "SQLite needs a local disk; several machines share a store in PostgreSQL");
}

void doctor_sync(struct diagnosis *diagnosis)
{
    struct disk_measure measure;
    struct error err;
    if (access(diagnosis->data, W_OK) != 0) return; /* doctor_directory() tells of it. */
    if (torture_measure_disk(diagnosis->data, &measure, &err) != ST_OK) {
        doctor_report(diagnosis, WRONG, "sync", str_of(err.message), "repair the disk");
        return;
    }
    str found = arena_printf(diagnosis->arena, "a sync takes %lld µs (one of a hundred takes %lld)",
                             (long long)measure.p50_us, (long long)measure.p99_us);
    if (measure.warning[0])
        doctor_report(diagnosis, DOUBTFUL, "sync",
                      arena_printf(diagnosis->arena, "%.*s: %s", STR_ARG(found), measure.warning),
                      "a power loss may lose acknowledged work: turn the cache's early answers off, or use "
                      "another disk");
    else if (measure.p50_us > SYNC_SLOW_US)
        doctor_report(diagnosis, DOUBTFUL, "sync", found,
                      "a request waits for a sync: a faster disk makes the engine faster");
    else doctor_report(diagnosis, FINE, "sync", found, NULL);
}

void doctor_open_files(struct diagnosis *diagnosis)
{
    struct rlimit files;
    struct limits limits = limits_default();
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    bool few = files.rlim_max != RLIM_INFINITY && files.rlim_max < (rlim_t)limits.connections_max;
    doctor_report(diagnosis, few ? DOUBTFUL : FINE, "open files",
                  files.rlim_max == RLIM_INFINITY
                      ? STR("no limit")
                      : arena_printf(diagnosis->arena, "at most %llu", (unsigned long long)files.rlim_max),
                  few ? "LimitNOFILE=65536 in the unit: each connection is an open file" : NULL);
}

/* ---- the port ---- */

/* 0: it can be bound; else why not. */
static int try_bind(const struct address *address)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV }, *list;
    char host[256], port[8];
    snprintf(host, sizeof host, "%.*s", STR_ARG(address->host));
    snprintf(port, sizeof port, "%u", address->port);
    if (getaddrinfo(host[0] ? host : NULL, port, &hints, &list) != 0) return EADDRNOTAVAIL;
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), reuse = 1, why = 0;
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) != 0) why = errno;
    if (fd >= 0) close(fd);
    freeaddrinfo(list);
    return why;
}

/* An engine says of itself that it lives. One with a certificate that nobody here trusts is unknown. */
static bool is_engine(struct diagnosis *diagnosis, const struct address *address)
{
    bool tls = option_path(diagnosis->options, OPTION_TLS_CERT) != NULL;
    str host = address_url_host(address->host, true, diagnosis->arena);
    str url =
        arena_printf(diagnosis->arena, "%s://%.*s:%u", tls ? "https" : "http", STR_ARG(host), address->port);
    struct http_client *client;
    struct http_answer answer;
    if (http_client_new(url, &client, NULL) != ST_OK) return false;
    bool alive = http_client_call(client, "GET", STR("/livez"), STR_NONE, ANSWER_TIMEOUT_MS, diagnosis->arena,
                                  &answer, NULL) == ST_OK &&
                 str_equal(answer.body, STR("{\"status\":\"alive\"}"));
    http_client_free(client);
    return alive;
}

void doctor_port(struct diagnosis *diagnosis)
{
    str text = option_text(diagnosis->options, OPTION_LISTEN);
    struct address address;
    struct error err;
    if (address_parse(text, &address, &err) != ST_OK) {
        doctor_report(diagnosis, WRONG, "address", str_of(err.message), "give --listen HOST:PORT");
        return;
    }
    int why = try_bind(&address);
    if (why == EADDRINUSE && is_engine(diagnosis, &address))
        doctor_report(diagnosis, FINE, "address",
                      arena_printf(diagnosis->arena, "an engine answers at %.*s", STR_ARG(text)), NULL);
    else if (why == EADDRINUSE)
        doctor_report(
            diagnosis, DOUBTFUL, "address", arena_printf(diagnosis->arena, "%.*s is in use", STR_ARG(text)),
            "fine if that is the engine; else stop the other program, or give --listen another port");
    else if (why == EACCES)
        doctor_report(diagnosis, WRONG, "address",
                      arena_printf(diagnosis->arena, "%.*s needs more rights", STR_ARG(text)),
                      "use a port of 1024 or more, with a proxy in front of it");
    else if (why)
        doctor_report(diagnosis, WRONG, "address",
                      arena_printf(diagnosis->arena, "%.*s: %s", STR_ARG(text), strerror(why)),
                      "give --listen an address of this machine");
    else
        doctor_report(diagnosis, FINE, "address",
                      arena_printf(diagnosis->arena, "%.*s is free", STR_ARG(text)), NULL);
}
