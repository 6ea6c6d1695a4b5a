/* cli/limits.h — the most that the program reads, shows or waits for. Limits of the engine are in
 * base/limits.h. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

enum {
    /* Files and answers that are read whole: large enough for any that an engine would take or give. */
    CONFIG_BYTES_MAX = 1 << 20,
    BEARER_BYTES_MAX = 4096, /* The file of --auth-token-file. */
    INPUT_BYTES_MAX = 64 << 20,
    DEPLOYED_BYTES_MAX = 64 << 20,
    SCENARIO_BYTES_MAX = 64 << 20,
    ANSWER_BYTES_MAX = 256 << 20,
    FOLDER_FILE_BYTES_MAX = 10 << 20, /* One document of a folder, … */
    FOLDER_BYTES_MAX = 64 << 20,      /* … all of them together, … */
    FOLDER_FILES_MAX = 500,           /* … their number, as many as one request may have, … */
    FOLDER_ENTRIES_MAX = 100000,      /* … and whatever else is in the folder. */
    FOLDER_DEPTH_MAX = 32,
    FOLDER_PAGE = 100,                /* Definitions, or triggers, that are asked for together. */
    FOLDER_PRUNED_MAX = 500,          /* Definitions that are gone from a folder: they fit one request. */
    FOLDER_NAME_BYTES_MAX = 180,      /* A longer name of a file is cut, and ends with a hash. */
    REVISION_TEXT_BYTES_MAX = 128,    /* The answer of Git. */
    BROWSER_REQUEST_BYTES_MAX = 8192, /* The head of a request that `pawl login` waits for. */
    CREDENTIALS_BYTES_MAX = 1 << 18,  /* Logins that are kept. */
    STREAMED_BYTES_MAX = 256 << 20,   /* One change that `pawl follow` receives. */

    ACTION_OPTIONS_MAX = 16,   /* Options of one action, such as `user add`. */
    CHOICES_MAX = 16,          /* Words of an option that takes one of several. */
    SUGGESTED_BYTES_MAX = 40,  /* A longer word is not compared with the known ones. */
    TABLE_COLUMNS_MAX = 10,    /* Columns of a list. */
    PATHS_SHOWN_MAX = 30,      /* Paths that a simulation lists; further ones are counted. */
    RETRY_PAUSE_MS_MAX = 2000, /* `pawl follow` doubles its pause up to this. */
    OTEL_MS_MAX = 3600 * 1000, /* The longest time in a variable of OpenTelemetry. */
    TRACE_URL_BYTES_MAX = 1024,
    PUSH_EVERY_MS_MIN = 100,              /* Metrics are pushed no more often, … */
    PUSH_EVERY_MS_MAX = 24 * 3600 * 1000, /* … and no less. */
    DISK_LOOK_MS = 60 * 1000,             /* Between two looks at the space on the disk, … */
    DISK_LOW_BYTES = 1 << 30,             /* … of which this much is enough on any disk. */
    BACKUP_OLD_MS = 26 * 3600 * 1000,     /* A backup of every day may be a little late. */
    STOP_SECONDS_MAX = 8,                 /* A process that is told to stop ends then in any case. */
    TORTURE_MINUTES_MAX = 60 * 24 * 30,   /* A month: a longer time is a mistake. */

    /* Calls of providers of tokens: these are few, and their documents small. */
    FETCHES_MAX = 64,
    FETCHES_PER_HOST_MAX = 8,
    FETCH_KEPT_MAX = 4,
};

#endif
