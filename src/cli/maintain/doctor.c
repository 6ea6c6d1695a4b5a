/* cli/maintain/doctor.c — `pawl doctor`: says what is wrong with an installation, and what to do.
 *
 * Every check only looks. The checks of the disk write a file of their own and remove it.
 */
#include "cli/maintain/doctor_int.h"
#include "cli/output.h"

static void look(struct diagnosis *diagnosis)
{
    doctor_clock(diagnosis);
    if (diagnosis->data) {
        doctor_directory(diagnosis);
        doctor_disk(diagnosis);
        doctor_sync(diagnosis);
    }
    if (diagnosis->data && !diagnosis->database) {
        doctor_store(diagnosis);
        doctor_backup(diagnosis);
    }
    if (diagnosis->database) doctor_database(diagnosis);
    if (!diagnosis->data && !diagnosis->database)
        doctor_report(diagnosis, DOUBTFUL, "store", STR("the store is in memory"),
                      "everything is forgotten when the engine stops: give --data DIR");
    doctor_keys(diagnosis);
    doctor_open_files(diagnosis);
    doctor_port(diagnosis);
}

static int print(struct diagnosis *diagnosis)
{
    struct buf out;
    buf_init(&out, diagnosis->arena);
    json_close(&diagnosis->list);
    if (option_on(diagnosis->options, OPTION_JSON)) {
        json_print_pretty(json_built(&diagnosis->list), &out);
        buf_add_char(&out, '\n');
    } else {
        buf_add_str(&out, buf_str(&diagnosis->lines));
        buf_printf(&out, "%zu checks: %zu wrong, %zu doubtful\n",
                   diagnosis->count[FINE] + diagnosis->count[DOUBTFUL] + diagnosis->count[WRONG],
                   diagnosis->count[WRONG], diagnosis->count[DOUBTFUL]);
    }
    int code = output_write(buf_str(&out));
    return diagnosis->count[WRONG] ? 1 : code;
}

int verb_doctor(const struct options *options)
{
    struct diagnosis diagnosis = { .options = options, .arena = options->arena };
    options_store(options, &diagnosis.database, &diagnosis.data);
    buf_init(&diagnosis.lines, options->arena);
    json_builder_init(&diagnosis.list, options->arena);
    json_open_array(&diagnosis.list);
    look(&diagnosis);
    return print(&diagnosis);
}
