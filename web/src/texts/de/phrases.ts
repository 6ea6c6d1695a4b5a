/* texts/de/phrases.ts — Deutsch: sentences of the engine that have no code, by their English form as it stands in the engine's source, %s
 * being a value. A form without a line here stays English. texts/phrases.test.ts compares the list with the source. */
import { countUnits, formatCount, type TimeUnit } from '../say';
import type { Phrase, PhraseGroup, Phrases } from '../shape';
import { hints } from './hints';
import { labels } from './labels';

const quoted = (name: string) => `„${name}“`;
const NUMBER = /^\d+(\.\d+)?$/;
const number = (text: string) => (NUMBER.test(text) ? formatCount(Number(text)) : text);

/* ---- times ---- */

const SPAN = String.raw`\d+ (?:(?:week|day|hour|minute|second)s?(?: (?:and )?\d+ (?:day|hour|minute|second|millisecond)s?)?|ms|s|min|h)`;
const WHOLE_SPAN = new RegExp(`^${SPAN}$`);
const EACH: { readonly [unit: string]: string } = {
  week: 'jede Woche',
  day: 'jeden Tag',
  hour: 'jede Stunde',
  minute: 'jede Minute',
  second: 'jede Sekunde',
};

/** "2 days" → "2 Tage", behind a preposition "2 Tagen". */
function span(text: string, isDative = false): string {
  return text
    .replace(/(\d+) (week|day|hour|minute|second|millisecond)s?/g, (_, count: string, unit: string) => {
      const said = countUnits(Number(count), unit as TimeUnit);
      return isDative && said.endsWith('Tage') ? `${said}n` : said;
    })
    .replace(' and ', ' und ');
}

const every = (text: string) => EACH[/^1 ([a-z]+)$/.exec(text)?.[1] ?? ''] ?? `alle ${span(text)}`;

/** A phrase about a time; none if it is about something else. */
const timed =
  (words: (text: string) => string): Phrase =>
  (_, text = '') =>
    WHOLE_SPAN.test(text) ? words(text) : '';

/* ---- what happens if nobody answers ---- */

const WHEN = String.raw`(?:after ${SPAN}|when its time is over)`;
const REMINDED = String.raw`${WHEN}(?: and again every ${SPAN})?`;
const CLAUSES: readonly (readonly [RegExp, (...values: readonly string[]) => string])[] = [
  [
    new RegExp(`^(?:a reminder goes|reminders go) out (${REMINDED}(?:(?:, | and )${REMINDED})*)$`),
    (times = '') =>
      `Erinnerung ${times
        .split(new RegExp(`(?:, | and )(?=${WHEN})`))
        .map(reminded)
        .join(', ')}`,
  ],
  [new RegExp(`^(${WHEN}) it becomes more urgent$`), (at = '') => `${when(at)} wird es dringender`],
  [new RegExp(`^(${WHEN}) it is passed on$`), (at = '') => `${when(at)} wird es weitergegeben`],
  [
    new RegExp(`^(${WHEN}) it is passed on to (.+)$`, 's'),
    (at = '', names = '') => `${when(at)} geht es an ${names}`,
  ],
  [
    new RegExp(`^(${WHEN}) the run goes on with “(.+)”$`, 's'),
    (at = '', step = '') => `${when(at)} geht der Lauf mit ${quoted(step)} weiter`,
  ],
  [
    new RegExp(`^(${WHEN}) the run goes on without an answer$`),
    (at = '') => `${when(at)} geht der Lauf ohne Antwort weiter`,
  ],
  [
    new RegExp(`^(${WHEN}) the run also does “(.+)”$`, 's'),
    (at = '', step = '') => `${when(at)} tut der Lauf auch ${quoted(step)}`,
  ],
  [
    new RegExp(`^(${WHEN}) the run also does something else$`),
    (at = '') => `${when(at)} tut der Lauf auch etwas anderes`,
  ],
  [new RegExp(`^(${WHEN}) the step fails$`), (at = '') => `${when(at)} schlägt der Schritt fehl`],
];

function when(text: string): string {
  return text === 'when its time is over' ? 'wenn die Zeit um ist,' : `nach ${span(text.slice(6), true)}`;
}

function reminded(text: string): string {
  const [at = '', again] = text.split(' and again every ');
  const first = when(at).replace(/,$/, '');
  return again === undefined ? first : `${first} und dann ${every(again)}`;
}

function clause(text: string): string {
  for (const [form, words] of CLAUSES) {
    const found = form.exec(text);
    if (found !== null) return words(...found.slice(1));
  }
  return '';
}

const unanswered: Phrase = (_, text = '') => {
  // Reminders have commas, too: they are told first, and the next clause begins with its time and a subject.
  const clauses = text.split(new RegExp(`, (?:and )?(?=${WHEN} (?:it|the run|the step) )`)).map(clause);
  return clauses.includes('') ? '' : `Wenn niemand antwortet: ${clauses.join('; ')}.`;
};

/* ---- who has a lock ---- */

const holder = (text: string) => {
  const found = /^(\w{26}) \("(.+)" of (.+)\)$/s.exec(text);
  return found === null ? '' : `Lauf ${found[1] ?? ''} (${quoted(found[2] ?? '')} in ${found[3] ?? ''})`;
};

/** "01K… ("print" of badge), 01K… ("print" of badge) and others". */
function holders(text: string): string {
  const isMore = text.endsWith(' and others');
  const named = (isMore ? text.slice(0, -' and others'.length) : text).split(/, (?=\w{26} \(")/).map(holder);
  return named.includes('') ? '' : `${named.join(', ')}${isMore ? ' und andere' : ''}`;
}

const locked = (who: string, place: string, count: string) => {
  const of = count.replace('more than ', 'mehr als ');
  return who === '' ? '' : `Die Sperre hat ${who}. Platz ${place} von ${of}.`;
};

/** Repairs of problems: what a button does. */
const fixes: Phrases = {
  'Call it "%s"': (_, name = '') => `${quoted(name)} nennen`,
  'Call it "New workflow"': '„New workflow“ nennen',
  'Use "%s"': (_, name = '') => `${quoted(name)} verwenden`,
  'Remove "%s"': (_, name = '') => `${quoted(name)} entfernen`,
  'Remove the line': 'Linie entfernen',
  'Let it come from %s': (_, step = '') => `Von ${quoted(step)} kommen lassen`,
  'Send it to %s': (_, step = '') => `Zu ${quoted(step)} führen`,
  'Send it to "%s"': (_, step = '') => `Zu ${quoted(step)} führen`,
  'Send it to the end': 'Zum Ende führen',
  'Go to %s if nothing else fits': (_, step = '') =>
    `Sonst zu ${step === 'it' ? 'diesem Schritt' : quoted(step)}`,
  'Lead on to the end if nothing else fits': 'Sonst zum Ende',
  'Remove the condition': 'Bedingung entfernen',
  'Keep only the first default': 'Nur den ersten Sonst-Weg behalten',
  'Leave by "%s"': (_, port = '') => `Ausgang ${quoted(port)} nehmen`,
  'Lead from %s to it': (_, step = '') => `Von ${quoted(step)} dorthin führen`,
  'Remove %s': (_, step = '') => `${quoted(step)} entfernen`,
  'Lead on to the end': 'Zum Ende führen',
  'End after "%s"': (_, answer = '') => `Nach ${quoted(answer)} enden`,
  'End after %s': (_, step = '') => `Nach ${quoted(step)} enden`,
  'End here': 'Hier enden',
  'Add a start before %s': (_, step = '') => `Start vor ${quoted(step)} einfügen`,
  'Call the second one "%s"': (_, id = '') => `Das zweite ${quoted(id)} nennen`,
  'Give it the id "%s"': (_, id = '') => `Id ${quoted(id)} geben`,
  // The name of the field is one of GET /api/node-types, and the builder has a word for it.
  'Fill in %s: %s': (say, field = '', value = '') => `${say(field) || field} ausfüllen: ${value}`,
  'Wait 1 day': '1 Tag warten',
  'List the secret': 'In die Liste der Geheimwerte',
  'Undo nothing': 'Nichts zurücknehmen',
  'Handle errors nowhere': 'Fehler nirgends behandeln',
  'Take it out of the loop': 'Aus der Schleife nehmen',
};

/** Why somebody may do something or not, and why a login or a key was refused. */
const reasons: Phrases = {
  'no access is configured, so everybody may do everything':
    'Es ist kein Zugang eingerichtet, also darf jeder alles',
  'this needs no role': 'Das braucht keine Rolle',
  '%s gives the role %s, which has %s': (say, source = '', role = '', permission = '') =>
    `${say(source) || source} gibt die Rolle ${role}, und sie hat ${permission}`,
  'this needs the permission %s': (_, permission = '') => `Das braucht das Recht ${permission}`,
  'this needs the permission %s; the request had no credential': (_, permission = '') =>
    `Das braucht das Recht ${permission}; es wurde kein Ausweis gesendet`,
  'this needs the permission %s; the scope %s is missing': (_, permission = '', scope = '') =>
    `Das braucht das Recht ${permission}; es fehlt ${scope}`,
  'it has no role anywhere': 'Es gibt nirgends eine Rolle',
  'no grant gives it': 'Keine Zuweisung gibt es',
  'gives it': 'gibt es',
  'counts in another tenant': 'gilt in einem anderen Mandanten',
  'has a role without this permission': 'hat eine Rolle ohne dieses Recht',
  'is narrowed to other permissions': 'ist auf andere Rechte beschränkt',
  'gives this permission only by a scope that names it':
    'gibt dieses Recht nur, wenn eine Beschränkung es nennt',
  'is narrowed to objects of other names': 'ist auf Dinge mit anderen Namen beschränkt',
  "the user's record": 'der Eintrag des Benutzers',
  "the key's record": 'der Eintrag des Schlüssels',
  'the grant %s to the group %s': (_, id = '', group = '') => `die Zuweisung ${id} an die Gruppe ${group}`,
  'the grant %s': (_, id = '') => `die Zuweisung ${id}`,
  'the exchanged token': 'der eingetauschte Ausweis',
  'the token file': 'die Datei der Ausweise',
  'the claim %s': (_, path = '') => `die Angabe ${path}`,
  'no such user': 'Diesen Benutzer gibt es nicht',
  'no such tenant': 'Diesen Mandanten gibt es nicht',
  'damaged record': 'Der Eintrag ist beschädigt',
  disabled: 'Abgeschaltet',
  'unknown key': 'Diesen Schlüssel gibt es nicht',
  'wrong secret of the key': 'Der geheime Teil des Schlüssels stimmt nicht',
  revoked: 'Widerrufen',
  expired: 'Abgelaufen',
  'unknown issuer': 'Diesen Aussteller gibt es nicht',
  'invalidated provider': 'Der Anbieter ist abgeschaltet',
  'no role': 'Keine Rolle',
  'unknown subject': 'Für niemanden ausgestellt, den es gibt',
  'unknown session': 'Diese Sitzung gibt es nicht',
  'idle for too long': 'Zu lange nichts getan',
  'unknown kind of credential': 'Diese Art von Ausweis gibt es nicht',
  'no credential was sent': 'Es wurde kein Ausweis gesendet',
  'not a key: wrong form or check sum': 'Kein Schlüssel: Form oder Prüfsumme stimmt nicht',
};

/** How the engine is. */
const health: Phrases = {
  'The engine has been busy with one step for %s s': (_, seconds = '') =>
    `Seit ${number(seconds)} s mit einem Schritt beschäftigt`,
  'Starts are paused: new runs are created and do not begin':
    'Starts sind angehalten: Neue Läufe werden angelegt und beginnen nicht',
  '%s job%s ready, the oldest for %s s': (_, count = '', verb = '', seconds = '') =>
    `${number(count)} ${verb === ' is' ? 'Auftrag ist' : 'Aufträge sind'} bereit, der älteste seit ${number(seconds)} s`,
  'Nothing waits': 'Nichts wartet',
  'Commits in %s ms (95 of 100)': (_, ms = '') => `Schreibt in ${number(ms)} ms (95 von 100)`,
  'Nothing was written in the last minutes': 'In den letzten Minuten wurde nichts geschrieben',
  'The disk is full: new work is refused': 'Die Platte ist voll: Neues wird abgelehnt',
  'The store is not on a disk of the engine': 'Der Speicher ist nicht auf einer Platte der Engine',
  '%s % full, %s GB are free': (_, percent = '', free = '') =>
    `Zu ${number(percent)} % voll, ${number(free)} GB sind frei`,
  'Timers are %s late': timed((time) => `Wecker sind ${span(time)} zu spät`),
  'On time, none comes soon': 'Pünktlich, keiner kommt bald',
  'On time, the next one in %s': timed((time) => `Pünktlich, der nächste in ${span(time, true)}`),
  '%s polled in the last 5 min': (_, count = '') =>
    `${number(count)} ${count === '1' ? 'hat' : 'haben'} in den letzten 5 min gefragt`,
  'None has polled lately, and no job waits for one':
    'Zuletzt hat keiner gefragt, und kein Auftrag wartet auf einen',
  'Nobody polls %s: %s wait%s': (say, what = '', count = '') =>
    `Niemand fragt nach ${say(what) || what.replace(/^“(.*)”$/s, '„$1“')}: ${number(count)} ${count === '1' ? 'wartet' : 'warten'}`,
  '%s types of jobs': (_, count = '') => `${number(count)} Arten von Aufträgen`,
  'One node, number %s': (_, node = '') => `Ein Knoten, Nummer ${node}`,
  '%s nodes, this is number %s': (_, count = '', node = '') =>
    `${number(count)} Knoten, dies ist Nummer ${node}`,
  '%s; number %s went %s ago': (say, nodes = '', gone = '', time = '') =>
    `${say(nodes) || nodes}; Nummer ${gone} ging vor ${span(time, true)}`,
};

/** Sentences about a task, a lock, a step of a run or of a test. */
const waits: Phrases = {
  'If nobody answers, %s.': unanswered,
  '%s; held by others; place %s of %s.': (_, _says, place = '', count = '') => locked('jemand', place, count),
  '%s; held by instance %s; place %s of %s.': (_, _says, who = '', place = '', count = '') =>
    locked(holders(who), place, count),
  'the instance was cancelled': 'Der Lauf wurde abgebrochen',
  Failed: 'Fehlgeschlagen',
  'Failed, %s tries': (_, count = '') => `Fehlgeschlagen, ${number(count)} Versuche`,
  'Try %s': (_, count = '') => `Versuch ${number(count)}`,
  'Waits %s': timed((time) => `Wartet ${span(time)}`),
  'no answer in %s': timed((time) => `keine Antwort in ${span(time, true)}`),
  'nothing arrived in %s': timed((time) => `in ${span(time, true)} traf nichts ein`),
  'not done in %s': timed((time) => `in ${span(time, true)} nicht fertig`),
  'more than %s steps were entered (REHEARSED_VISITS_MAX)': (_, count = '') =>
    `Mehr als ${number(count)} Schritte: So lange geht ein Test nicht`,
  'more than %s instances were started (REHEARSED_INSTANCES_MAX)': (_, count = '') =>
    `Mehr als ${number(count)} Läufe: So viele hat ein Test nicht`,
  'more than ten years would pass (REHEARSED_MS_MAX)': 'Es würden mehr als zehn Jahre vergehen',
  'there is more to tell than %s bytes (REHEARSED_LINES_BYTES_MAX)': (_, count = '') =>
    `Mehr als ${number(count)} Bytes: So viel erzählt ein Test nicht`,
  'it took more than 10 seconds (TRIAL_MS_MAX)': 'Der Test brauchte mehr als 10 Sekunden',
};

/* ---- pictures ---- */

const compared =
  (words: string): Phrase =>
  (_, left = '', right = '') =>
    / (?:and|or) /.test(`${left} ${right}`)
      ? ''
      : `${left} ${words}${right === '' ? '' : ` ${number(right)}`}`;

const joined =
  (word: string): Phrase =>
  (say, left = '', right = '') => {
    const [first, last] = [say(left), say(right)];
    return first === '' || last === '' ? '' : `${first} ${word} ${last}`;
  };

/** The picture of a flow: captions, labels of lines. */
const picture: Phrases = {
  ...labels,
  'User task': labels['Ask a person'],
  Transformation: labels['Set values'],
  'Parallel gateway': labels.Split,
  'Join gateway': labels['Wait for all'],
  'waits %s': timed((time) => `wartet ${span(time)}`),
  'after %s': timed((time) => `nach ${span(time, true)}`),
  '%s, and waits on': (say, at = '') => (say(at) === '' ? '' : `${say(at)}, und wartet weiter`),
  otherwise: 'sonst',
  undo: 'zurücknehmen',
  'Undo %s': (_, step = '') => `${step} zurücknehmen`,
  'Undoes what was done': 'Nimmt zurück, was getan wurde',
  '%s is at least %s': compared('ist mindestens'),
  '%s is at most %s': compared('ist höchstens'),
  '%s is more than %s': compared('ist mehr als'),
  '%s is less than %s': compared('ist weniger als'),
  '%s is one of %s': compared('ist eines von'),
  '%s is not there': compared('ist nicht da'),
  '%s is there': compared('ist da'),
  '%s is not empty': compared('ist nicht leer'),
  '%s is empty': compared('ist leer'),
  '%s is true': compared('ist wahr'),
  '%s is false': compared('ist falsch'),
  '%s is not %s': compared('ist nicht'),
  '%s contains %s': compared('enthält'),
  '%s begins with %s': compared('beginnt mit'),
  '%s is %s': compared('ist'),
  '%s and %s': joined('und'),
  '%s or %s': joined('oder'),
  // A kind and what it does: "Service task · print".
  '%s · %s': (say, kind = '', detail = '') => (say(kind) === '' ? '' : `${say(kind)} · ${detail}`),
};

export const phrases: { readonly [Group in PhraseGroup]: Phrases } = {
  fixes,
  hints,
  reasons,
  health,
  waits,
  picture,
};
