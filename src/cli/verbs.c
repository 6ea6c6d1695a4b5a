/* cli/verbs.c — the table of verbs and their descriptions. */
#include "cli/verbs.h"

#include "base/status.h"
#include "cli/output.h"
#include "cli/suggest.h"

/* Longer texts than the table's summaries. Paragraphs are separated by empty lines; help.c and docs_man.c
 * fill the lines. */
static const struct about {
    const char *description;
    const char *examples;
} about[VERB_COUNT] = {
    [VERB_SERVE] = {
        "Runs the engine until SIGINT or SIGTERM. It then finishes what it has begun and stops; a second signal "
        "stops it at once, which loses nothing that was acknowledged.\n\n"
        "An address that other machines can reach is served only with --auth-token-file.",
        "pawl serve --demo\n"
        "pawl serve --listen 0.0.0.0:8080 --auth-token-file /etc/pawl/token --retention 30d",
    },
    [VERB_SECRET] = {
        "Secrets are values that calls need, such as keys and passwords. The engine keeps them encrypted and puts them into "
        "a call when it leaves; nothing ever shows them again.\n\n"
        "`set` takes the value from --file, from standard input or from the terminal. `list` shows names and sources. "
        "`rekey` encrypts all of them with a new key.",
        "pawl secret set api_key --file key.txt\n"
        "pass show api/key | pawl secret set api_key\n"
        "pawl secret list",
    },
    [VERB_TRIGGER] = {
        "A paused trigger takes nothing, also in later versions: requests to a webhook get 503, messages and ticks are "
        "recorded and dropped. `fire` stands in for what usually arrives, with --var or --input as the payload. The trigger's "
        "policy, cap and schema count.",
        "pawl trigger pause orders t_http\n"
        "pawl trigger fire orders t_http --var order_id=A1",
    },
    [VERB_ARRIVALS] = {
        "The newest first, also arrivals that started nothing. Requests whose sender could not prove who it is are only "
        "counted.",
        "pawl arrivals orders\n"
        "pawl arrivals orders t_http --limit 200",
    },
    [VERB_STORE] = {
        "Works on a data directory without a server. `check` verifies the file, every checksum and that index "
        "rows and instances agree. `backup FILE` makes a consistent copy, also of a store in use. `info` counts.\n\n"
        "`copy FROM TO` moves a whole store between SQLite and PostgreSQL, in either direction, while no engine uses them. "
        "Each is a data directory, a file of SQLite (also sqlite:PATH) or the URI of a database. TO must be empty. "
        "Every row is compared afterwards; the first difference ends the copy with code 1. A copy that was interrupted leaves "
        "a store that no engine opens: begin it again with --overwrite, which removes an unfinished copy and nothing else.\n\n"
        "`forget-secrets` is for a key of the secrets that is lost: an engine does not start without it. It removes all "
        "secrets of a store that no engine uses, and names them.",
        "pawl store check --deep --data /var/lib/pawl\n"
        "pawl store backup /backup/pawl.db --data /var/lib/pawl\n"
        "pawl store copy /var/lib/pawl postgres://pawl@db.example.com/pawl",
    },
    [VERB_DOCTOR] = {
        "Looks at the clock, the disk and how fast it really syncs, limits, the address, files and their modes, the settings of the "
        "database and the age of the backup, and says what to do about each. Run it on the engine's machine, as the engine's user, "
        "with the engine's settings; the engine may run.\n\n"
        "Exits with 0 if nothing is wrong, with 1 if something is. Something doubtful is not wrong.",
        "pawl doctor --config /etc/pawl/pawl.conf --data /var/lib/pawl\n"
        "pawl doctor --store postgres://pawl@db.example.com/pawl --json",
    },
    [VERB_TORTURE] = {
        "Runs engines in DIR under load and ends them again and again: by kill -9, by a simulated loss of power in which "
        "the disk keeps only some of what was not synced, and on a disk that is full. After each it verifies that "
        "everything acknowledged is there exactly once and that the store is sound. It also measures how long syncs take, "
        "and says if they are too quick to be true.\n\n"
        "Exits with 0 if nothing was found and with 1 if something was; the stores it was found in are then kept in DIR. "
        "Otherwise nothing is left behind. DIR must be empty.",
        "pawl torture --minutes 10 --dir /var/lib/pawl-torture\n"
        "pawl torture --minutes 0.5 --dir ./torture --seed 7 --json",
    },
    [VERB_VALIDATE] = {
        "Reads each file, JSON or YAML, as a definition and shows all its problems with their places. Exits with 2 if a "
        "file has errors; warnings do not count, but with --strict it exits with 1 if a field is unknown or has no "
        "effect. FILE may be - for standard input.",
        "pawl validate examples/order.json\n"
        "pawl validate --strict flows/*.yaml",
    },
    [VERB_EXPLAIN] = {
        "Shows the program a definition compiles to or, with --expr, an expression's instructions. With --data the "
        "expression is evaluated too.\n\n"
        "With --path it shows how a JSONPath is understood or, with --on, the values it selects, as a JSON array.",
        "pawl explain loan.json\n"
        "pawl explain --path '$..book[?@.price < 10].title' --on store.json\n"
        "pawl explain --expr 'score >= 700 && amount < limit * 2' --data '{\"score\": 720, \"amount\": 5, \"limit\": 4}'",
    },
    [VERB_GRAPH] = {
        "Draws a definition as SVG, Graphviz dot or a Mermaid diagram, or gives its picture as JSON: nodes and lines with "
        "their places.",
        "pawl graph loan.json -o loan.svg\n"
        "pawl graph loan.json --format mermaid",
    },
    [VERB_TEST] = {
        "Runs the cases of scenario files on the real engine with a store in memory and a virtual clock: nothing is "
        "sent anywhere and thirty days take milliseconds. Exits with 1 if a case fails and with 2 if a file cannot be "
        "read. Failing cases show what was expected, what is there, and what happened.\n\n"
        "With --explore each case that has invariants runs N times with varied inputs, results and orders; the first "
        "run that breaks an invariant is shrunk and printed with the command that repeats it.",
        "pawl test examples/*.scenario.json\n"
        "pawl test order.scenario.json -k 'large order' -v\n"
        "pawl test order.scenario.json --explore 500 --seed 7",
    },
    [VERB_RUN] = {
        "Runs an instance of the first FILE in this process, with the clock moved from timer to timer, and prints the "
        "path it took and its result. Further FILEs are definitions it chains to. Jobs are answered by --mock; "
        "people's tasks and signals by --mock or at the terminal. Exits with 1 if the instance fails or waits for "
        "something that nobody answers.\n\n"
        "With --simulate it runs N times by chance and reports how often each path was taken, how long it took and "
        "what got stuck; work without a mock is answered with values that the conditions ask for.",
        "pawl run examples/order.json --input '{\"total\": 1200}' --mock mocks.json\n"
        "pawl run examples/order.json --input '{\"total\": 1200}' --simulate 1000 --seed 7",
    },
    [VERB_DEPLOY] = {
        "Publishes definitions, all or none: if one is refused, nothing changes. STATE tells new, changed and unchanged ones apart. Content of the latest version keeps its version. Content of an older version "
        "becomes the latest again, as a new version that names the older one.",
        "pawl deploy loan-disbursement.json loan-application.json\n"
        "pawl deploy --revision $(git rev-parse --short HEAD) workflows/*.json",
    },
    [VERB_PLAN] = {
        "Compares the definitions of a folder, in JSON and YAML, with those that an engine runs, and changes nothing. For each it tells "
        "what is new, changed or unchanged, how it differs and which living instances keep their version. Sub-flows come before "
        "those that start them; a circle is refused. triggers.yaml says which triggers are paused, access.yaml who may do what.\n\n"
        "With --prune it also lists the definitions that the folder does not have, which apply would retire. Exits with 0 if nothing "
        "differs, with 2 if something does and with 1 if it cannot tell.",
        "pawl plan flows\n"
        "pawl plan flows --prune --json",
    },
    [VERB_APPLY] = {
        "Shows the plan, asks, and publishes the folder: everything, or nothing if one document is refused. It is also refused if "
        "somebody has published one of the definitions meanwhile. Versions tell the commit of the folder, if Git has it, or "
        "--revision.\n\n"
        "--yes does not ask. A command whose answer was lost can be repeated: what was applied is unchanged then.",
        "pawl apply flows\n"
        "pawl apply flows --prune --yes --revision $CI_COMMIT_SHA",
    },
    [VERB_EXPORT] = {
        "Writes the latest version of each definition that is in use, with the models of entities, and the states of triggers. "
        "`pawl plan` of the folder then finds no differences. DIR must be empty, but for names that begin with a dot; with "
        "--overwrite it may be an earlier export.",
        "pawl export flows\n"
        "pawl export flows --overwrite --with-access",
    },
    [VERB_DEFINITIONS] = {
        "Lists the latest version of each definition. With KEYWORD only those whose id or name has it in it. With the ID "
        "of a definition it lists all versions of it, with who published them, when and from where.",
        "pawl definitions\n"
        "pawl definitions SHOP::order\n"
        "pawl definitions loan --limit 100",
    },
    [VERB_DEFINITION] = {
        "Prints the document as it was published, in JSON. The engine adds the version it counted, which a later deploy "
        "ignores. With --json it is on one line.",
        "pawl definition SHOP::order > order.json\n"
        "pawl definition SHOP::order --version 3",
    },
    [VERB_ROLLBACK] = {
        "Publishes the text of VERSION again, as a new version that names it. Without VERSION it is the version that was the "
        "latest before. New instances run the new version; instances that run keep theirs.",
        "pawl rollback SHOP::order\n"
        "pawl rollback SHOP::order 3 --revision 'incident 4711'",
    },
    [VERB_RETIRE] = {
        "Nothing of the definition starts any more, by no way. Its schedules end. Instances that run go on. `pawl deploy` and "
        "`pawl rollback` bring it back into use.",
        "pawl retire SHOP::order",
    },
    [VERB_DELETE] = {
        "The definition goes with all its versions, triggers and its draft, and its id is free. Runs that live refuse it: "
        "retire it, and wait for their end, cancel or migrate them. Ended runs and starts that wait refuse it, too, unless "
        "--with-ended deletes them: that goes on in the background. A definition that others in use start stays.",
        "pawl delete SHOP::order\n"
        "pawl delete SHOP::order --with-ended",
    },
    [VERB_START] = {
        "Starts an instance of the latest version and prints it. With --wait it prints the instance as it is when "
        "it has ended or the time is over, and exits with 1 if it has failed.",
        "pawl start LOS::loan-application-full --var loanAmount=200000000 --var applicantId=APP-1 --key APP-1\n"
        "pawl start greet --input @variables.json --wait 10 --json\n"
        "pawl follow $(pawl start greet --quiet)",
    },
    [VERB_PS] = {
        "With --status FAILED the list shows why each has failed, and with --group reason how many have for the same "
        "reason: numbers, ids and quoted texts in it are left out. --where takes the conditions of \"pawl help retry\".",
        "pawl ps --status WAITING --definition LOS::loan-application-full\n"
        "pawl show $(pawl ps --key order-42 --quiet)\n"
        "pawl ps --status FAILED --group reason\n"
        "pawl ps --where \"reason~timeout,step='Charge the card'\"",
    },
    [VERB_SHOW] = {
        "Without options: the instance, why each of its tokens does not move, and its history.",
        "pawl show 01JCQ0V8G000000000000000N0",
    },
    [VERB_TRACE] = {
        "The spans are computed from the history, so any instance that the store still has can be traced, also long after its "
        "end. --to sends them to a collector of OpenTelemetry: the URL is its base, to which /v1/traces is added. "
        "OTEL_EXPORTER_OTLP_HEADERS has headers for it. Spans that are sent twice have the same ids.",
        "pawl trace 01JCQ0V8G000000000000000N0\n"
        "pawl trace 01JCQ0V8G000000000000000N0 --to http://localhost:4318",
    },
    [VERB_FOLLOW] = {
        "Prints what has happened to the instance so far, then each change as it happens, until the instance ends. If the "
        "engine stops, it connects again for up to a minute and goes on where it was. With --json each change is a line "
        "of JSON.\n\n"
        "Exits with 0 if the instance completed, with 1 if it failed and with 4 if it was cancelled.",
        "pawl follow 01JCQ0V8G000000000000000N0",
    },
    [VERB_SIGNAL] = {
        "The variables given are merged into the instance's. Instead of its id, an instance that has not ended can be "
        "named by its definition and business key.\n\n"
        "A step that does not wait for its signal yet refuses it; with --early the signal is kept until it does, and so is "
        "one for an instance that has failed, until it is retried. A signal with which no way out of the step can be "
        "chosen is refused, and the step waits on.\n\n"
        "With --where it is for many instances: see \"pawl help retry\".",
        "pawl signal 01JCQ0V8G000000000000000N0 wait-for-payment --var paid=true\n"
        "pawl signal --definition SHOP::order --key ORDER-7 wait-for-payment --var paid=true --early\n"
        "pawl signal --where 'definition=order,step=wait-for-payment,age>1d' --step wait-for-payment --var paid=false",
    },
    [VERB_EVENT] = {
        "FILE holds one CloudEvent in the JSON format, or a list of them, in JSON or YAML; - is standard input. Shows for "
        "each whether it started instances, was delivered to some, matched nothing or was here before. Exits with 6 if "
        "one could not be taken. With --wait a single event is shown when the instances that it started or reached have "
        "ended or the time is over; it exits with 1 if one of them failed. An event that matched nothing is shown with the reason and kept under a number, which "
        "`pawl unmatched` lists. --resend sends it again.",
        "pawl event order-received.json --wait 10\n"
        "pawl event --resend 17\n"
        "echo '{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/shop\",\"type\":\"order.paid\"}' | pawl event -",
    },
    [VERB_UNMATCHED] = {
        "Lists the events that no instance took, newest first, with the reason. When a definition or an instance for one "
        "is there, `pawl event --resend NUMBER` sends it again.",
        "pawl unmatched\n"
        "pawl event --resend 17",
    },
    [VERB_LOCKS] = {
        "Lists the locks that steps hold, by name: who holds them, since when, and who waits, in their order. NAME shows one "
        "lock. If a run must give up its lock, cancel it, or let the failed one go on.",
        "pawl locks\n"
        "pawl locks printer-berlin\n"
        "pawl cancel 01JCQ0V8G000000000000000N0",
    },
    [VERB_COMPLETE] = {
        "The variables given are merged into the instance's.",
        "pawl complete 01JCQ0V8G000000000000000N0 senior-approval-task --var seniorDecision=APPROVED",
    },
    [VERB_CANCEL] = {
        "An instance that has failed keeps taking events, for a retry. With --failed it is given up: it takes no more and "
        "cannot be retried.\n\n"
        "With --where it is for many instances: see \"pawl help retry\".",
        "pawl cancel 01JCQ0V8G000000000000000N0 --reason 'duplicate application'\n"
        "pawl cancel --where 'definition=order,key^=test-' --reason 'test run'",
    },
    [VERB_RETRY] = {
        "Lets a failed instance go on, after merging the variables given. The step that failed is run again, with a new job; "
        "if its work was done and only the way out of it failed, the way out is tried again and the work is not done twice. "
        "Everything else goes on where the failure stopped it. STEP, if it is given, must be the one that failed.\n\n"
        "A parent that failed with its child starts a new one. That child itself is retried only with --alone.\n\n"
        "With --where it is for many instances. They are counted first, grouped by reason, and at a terminal you are "
        "asked whether to go on; --dry-run ends there, --yes does not ask. The engine then does it in the background, "
        "each instance once, also if it is restarted; this command shows how far it has come and can be left. Exits with "
        "0 if all succeeded and with 1 if some did not.\n\n"
        "Conditions are separated by commas and must all hold; quotes keep a comma in a value. There are definition=, "
        "version=, status=, step= (its id or title), key=, key^= (how it begins), id=, reason=, reason~ (a part of it, in letters of either case), started<, started>=, "
        "age> and age< (1h, 30d); for unmatched events reason, source=, type=, number=, received<, received>= and age. "
        "\"all\" alone is everybody.",
        "pawl retry 01JCQ0V8G000000000000000N0\n"
        "pawl retry 01JCQ0V8G000000000000000N0 check-credit --var creditScore=710\n"
        "pawl retry --where \"definition=order,reason~'gateway timeout'\" --dry-run\n"
        "pawl retry --where 'definition=order,step=charge,age<1d' --var gateway=eu --yes",
    },
    [VERB_RESEND] = {
        "Sends the event of that number, of those that nobody took, as if it came now. With --where it is for many of "
        "them: see \"pawl help retry\".",
        "pawl resend 17\n"
        "pawl resend --where 'source=/shop,type=order.paid,age<2h' --yes",
    },
    [VERB_MIGRATE] = {
        "Lets the instances of version --from go on with version --to of their definition. Tokens, jobs, timers, tasks and "
        "variables stay as they are; only the document changes. An instance goes on at the step of the same name, or at the "
        "one that --map names. It is refused, and stays as it is, if the new version could not go on from exactly there.\n\n"
        "The instances are looked at first, in three groups: they move, they move with the mapping, they cannot move "
        "because of a reason. At a terminal you are asked whether to go on; --dry-run ends there, --yes does not ask. The "
        "engine then does it in the background, and this command can be left: see \"pawl help bulk\". Failed instances "
        "are retried in the same step, unless --no-retry is given. --where narrows it: see \"pawl help retry\".\n\n"
        "--undo brings the instances of a migration back that have taken no command since.",
        "pawl migrate order --from 1 --to 2 --dry-run\n"
        "pawl migrate order --from 1 --to 2 --map old-check=check --where 'key^=eu-,age<7d' --yes\n"
        "pawl migrate --undo 01JCQ0V8G000000000000000N0",
    },
    [VERB_REPLAY] = {
        "Takes the newest runs of the definition, --limit of them, and plays each again with the document of --with: the same "
        "start, and the same answers from outside. Tells which runs would have gone another way, and where it begins. "
        "Nothing is written to the engine, and nobody has to publish the document. A run that the engine cannot tell, or that "
        "does not go its own way again with its own document, is not known.\n\n"
        "Exits with 0 if no run goes another way and with 1 if one does.",
        "pawl replay order --with order-2.json\n"
        "pawl replay order --with order-2.yaml --limit 100 --json",
    },
    [VERB_BULK] = {
        "Commands for many instances that `pawl retry|cancel|signal|resend --where` and `pawl migrate` began. `show` tells "
        "how far one has come and why it was not done for some; `pause` stops it until `resume`; `cancel` ends it, and what "
        "is done stays done.",
        "pawl bulk list\n"
        "pawl bulk pause 01JCQ0V8G000000000000000N0\n"
        "pawl bulk cancel 01JCQ0V8G000000000000000N0",
    },
    [VERB_MODIFY] = {
        "Sets and unsets variables and moves, adds and cancels tokens, all in one command or not at all, and prints the "
        "instance after it with why each token waits. What a token waited for is closed; moving it to the step where it "
        "stands begins that step anew. An instance that has failed lives again when its failed token is moved or "
        "cancelled.\n\n"
        "Refused if a join could never open again, if a fork's branch or the inside of a state would be entered from "
        "outside, and if no token would be left. To leave a fork move one of its branches out and cancel the others. "
        "With --dry-run nothing happens.",
        "pawl modify 01JCQ0V8G000000000000000N0 --set amount=250 --move approve:ship --dry-run\n"
        "pawl modify 01JCQ0V8G000000000000000N0 --unset draft --add notify --cancel wait-1 --reason 'customer called'",
    },
    [VERB_JOBS] = { NULL, "pawl jobs --type send-email" },
    [VERB_TASKS] = {
        "With a person, a group or a time, what is due first comes first; else the oldest instances do.",
        "pawl tasks --definition LOS::loan-disbursement-workflow\n"
        "pawl tasks --person ada\n"
        "pawl tasks --group sales --unassigned --due-before 2026-11-16T09:00:00Z",
    },
    [VERB_TASK] = {
        "Shows an open task with what happened to it, or changes it. Who claims a task has it; others are refused until it is "
        "given back or handed over. An answer is given with --decision, --var and --input, as the flow needs it, and may have a --comment.",
        "pawl task claim 01JCQ0V8G000000000000000N0 --by ada\n"
        "pawl task assign 01JCQ0V8G000000000000000N0 --to bob --due P2D --comment 'on holiday'\n"
        "pawl task complete 01JCQ0V8G000000000000000N0 --by bob --decision approve --var note=fine",
    },
    [VERB_LOGIN] = {
        "Signs in at the engine of --server: as USER with a password, or with a key (--key). Passwords and keys are asked for at "
        "the terminal or read from standard input; they are never arguments, which others could see.\n\n"
        "The engine's answer is kept in pawl/credentials.json of your configuration folder, which only you can read. Later "
        "commands use it, with this server and --tenant, unless PAWL_SERVER, PAWL_TENANT or PAWL_TOKEN say something else.",
        "pawl login ada --server https://pawl.example.com\n"
        "pawl login --key --tenant acme < key.txt\n"
        "pawl whoami",
    },
    [VERB_LOGOUT] = { "Ends the session at the engine of --server and forgets it here. A key stays what it is; it is only forgotten.", NULL },
    [VERB_USER] = {
        "`add` makes a user, `set` changes one: --role and --group then replace those before, and an empty value removes all. "
        "Roles count in the tenant `default`, or in --tenant; a new admin without --tenant is one of all tenants. `password` sets a password, which is asked for or read from "
        "standard input; `add` does the same with --password. `remove` also ends the user's sessions and grants.\n\n"
        "With --store it works on a store that no engine uses, and needs no login: the file's permissions decide. This is the "
        "way back for admins who are locked out, and the way to the first admin. The audit names it `store`.",
        "pawl user add ada --role admin --password --store /var/lib/pawl\n"
        "pawl user add bob --role person --group sales --email bob@example.com\n"
        "pawl user set bob --state disabled\n"
        "pawl user password ada --store /var/lib/pawl",
    },
    [VERB_KEY] = {
        "`add` prints the new key once; the engine keeps its hash only. A key belongs to one tenant, which --tenant names. "
        "`rotate` gives it a new secret, and the old one counts for 24 hours more. `revoke` ends it at once, also polls and "
        "streams that use it.",
        "pawl key add stock-worker --role worker --scope 'jobs:work:reserve-*' --expires 90d\n"
        "pawl key list\n"
        "pawl key rotate 7HqZ3bTw9K",
    },
    [VERB_GRANT] = {
        "A grant gives a role in a tenant: to user:NAME, group:NAME or key:ID. --tenant '*' is every tenant. --scope narrows it "
        "to one permission and pattern.",
        "pawl grant add group:sre operator --tenant '*'\n"
        "pawl grant add user:ada viewer --tenant acme\n"
        "pawl grant list user:ada",
    },
    [VERB_ISSUER] = {
        "An issuer is an OIDC provider, or another one who signs tokens. `add` needs --issuer and --audience; the claims say "
        "where a token has names, groups and roles, as JSONPath. `test` asks the provider and says what is wrong.",
        "pawl issuer add keycloak --issuer https://id.example.com/realms/shop --audience pawl --client-id pawl "
        "--client-secret vault:keycloak --roles-claim '$.realm_access.roles' --map admin=pawl-admins\n"
        "pawl issuer test keycloak",
    },
    [VERB_TENANT] = {
        "A tenant has its own definitions, instances, entities, triggers, secrets and tasks. `show` and `list` tell how much of "
        "its quotas it uses. `remove` takes an empty one away; "
        "with --with-everything and --confirm NAME also one that is not empty.",
        "pawl tenant add acme --label 'ACME Ltd' --quota activeInstances=1000\n"
        "pawl tenant set acme --state suspended\n"
        "pawl tenant show acme\n"
        "pawl tenant list",
    },
    [VERB_AUDIT] = {
        "The newest rows first: who did what to which object, and by which way. --follow prints new rows as they come. --verify "
        "checks the chain of hashes and exits with 1 if a row was changed or is missing.",
        "pawl audit --principal user:ada --since 1d\n"
        "pawl audit --action 'key.*'\n"
        "pawl audit --verify",
    },
    [VERB_ACCESS] = {
        "`apply` makes users, keys, issuers, tenants and grants what FILE says, in YAML or JSON, and prints each change: + added, "
        "~ changed, - removed. All of it happens or nothing. What the file does not have stays, unless --prune is given. The second "
        "time nothing changes. `export` prints the file of what is there, without secrets.\n\n"
        "`explain` tells why somebody may or may not make a request: the name of a user, or the name or id of a key. `refusals` lists the last requests that were refused, "
        "with the true reason.",
        "pawl access apply access.yaml --dry-run\n"
        "pawl access explain user:ada POST /v1/instances/ID/cancel\n"
        "pawl access refusals",
    },
    [VERB_DOCS] = { "For packagers: prints files that are made from the tables of verbs and options.", NULL },
};

const struct verb_spec verb_specs[VERB_COUNT] = {
#define XX(NAME, word_, arguments_, min, max, group_, summary_) \
    [VERB_##NAME] = { .word = #word_,                           \
                      .arguments = arguments_,                  \
                      .arguments_min = min,                     \
                      .arguments_max = max,                     \
                      .group = GROUP_##group_,                  \
                      .summary = summary_ },
    VERB_MAP(XX)
#undef XX
};

const char *verb_description(enum verb verb) { return about[verb].description; }
const char *verb_examples(enum verb verb) { return about[verb].examples; }

const char *verb_group_title(enum verb_group group)
{
    static const char *const titles[GROUP_COUNT] = {
        [GROUP_ENGINE] = "Running an engine",
        [GROUP_DOCUMENTS] = "Working on definitions",
        [GROUP_CLIENT] = "Talking to an engine",
        [GROUP_ACCESS] = "Who may do what",
        [GROUP_ABOUT] = "About pawl",
        [GROUP_HIDDEN] = "For packagers",
    };
    return titles[group];
}

enum verb verb_find(str word)
{
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        if (str_equal(str_of(verb_specs[verb].word), word)) return verb;
    return VERB_NONE;
}

int verb_unknown(str word)
{
    const char *candidates[VERB_COUNT + 1];
    size_t count = 0;
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        if (verb_specs[verb].group != GROUP_HIDDEN) candidates[count++] = verb_specs[verb].word;
    candidates[count] = NULL;
    const char *close = suggest_word(word, candidates);
    if (close) output_complain("unknown verb \"%.*s\"; did you mean \"%s\"?", STR_ARG(word), close);
    else output_complain("unknown verb \"%.*s\"; \"pawl help\" lists them", STR_ARG(word));
    return status_exit(ST_INVALID);
}
