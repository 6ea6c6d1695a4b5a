/* texts/de/hints.ts — Deutsch: what helps against a problem, by the English form as it stands in the engine's source, %s being a value.
 * Words in code stay as they are written. texts/phrases.test.ts compares the list with the source. */
import type { Phrases } from '../shape';

/** Values in the order of the English form. */
const put =
  (text: string) =>
  (_say: unknown, ...values: readonly string[]) => {
    let at = 0;
    return text.replaceAll('%s', () => values[at++] ?? '');
  };

export const hints: Phrases = {
  'did you mean %s?': put('Ist %s gemeint?'),
  '%s without it %s': (say, meant = '', lacks = '') =>
    say(lacks) === '' ? '' : `${say(meant)} Sonst ${say(lacks)}.`,
  'every instance takes every event of this source and type':
    'nimmt jeder Lauf jedes Ereignis dieser Quelle und Art',
  'nothing limits the time': 'begrenzt nichts die Zeit',
  'a failed attempt is not repeated': 'wird ein gescheiterter Versuch nicht wiederholt',
  'an error ends the workflow': 'beendet ein Fehler den Ablauf',
  'the flow does not go on from here': 'geht der Ablauf von hier nicht weiter',
  'the data is not filtered': 'werden die Daten nicht gefiltert',
  'all the data goes in': 'gehen alle Daten hinein',
  'results are merged into the data': 'werden Ergebnisse in die Daten gemischt',
  'all the data goes on': 'gehen alle Daten weiter',
  'nobody waits for it': 'wartet niemand darauf',
  'actions are done one after the other': 'laufen die Aktionen nacheinander',
  'the state is done once': 'wird der Zustand einmal ausgeführt',
  'the state fails if no choice holds': 'schlägt der Zustand fehl, wenn keine Wahl zutrifft',
  'the loop goes through all items': 'geht die Schleife alles durch',
  'the values of the rounds are dropped': 'gehen die Werte der Durchgänge verloren',
  'nothing is waited for': 'wird auf nichts gewartet',
  'no data is added': 'kommen keine Daten hinzu',
  'it always holds': 'gilt es immer',
  'no event is taken': 'wird kein Ereignis genommen',
  'there is no function to call': 'gibt es keine Funktion, die man aufrufen kann',
  'it belongs to %s': put('Es gehört zu %s.'),

  'a branch must arrive at the join of its own fork first':
    'Ein Zweig muss zuerst bei der Zusammenführung seiner eigenen Verzweigung ankommen.',
  'a fork inside a branch needs a join of its own, which that branch passes before it goes on':
    'Eine Verzweigung in einem Zweig braucht eine eigene Zusammenführung, durch die der Zweig geht, bevor er weitergeht.',
  'a text that begins with $ is written $$': 'Ein Text, der mit $ beginnt, wird $$ geschrieben.',
  'a text that is no path but begins with $ is written with $$':
    'Ein Text, der mit $ beginnt und kein Pfad ist, wird mit $$ geschrieben.',
  'a workflow begins there: nothing leads to it': 'Ein Ablauf beginnt dort: nichts führt dahin.',
  'action_http, action_db, action_email, action_mcp or action_subflow':
    'action_http, action_db, action_email, action_mcp oder action_subflow',
  'add "onFailure": "compensate" to the settings':
    'Ergänzen Sie "onFailure": "compensate" in den Einstellungen.',
  'add a start: by hand, on a schedule, on a web request or on a message':
    'Ergänzen Sie einen Start: von Hand, nach einem Zeitplan, durch einen Webaufruf oder durch eine Nachricht.',
  'add the condition "true" as the last one': 'Ergänzen Sie als letzte die Bedingung "true".',
  'add %s to secretRefs of the workflow': put('Ergänzen Sie %s in secretRefs des Ablaufs.'),
  'an END with "ends": "branch" ends the side branch alone':
    'Ein END mit "ends": "branch" beendet nur den Seitenzweig.',
  'an END with "ends": "branch" ends the side branch; one without it completes the whole instance':
    'Ein END mit "ends": "branch" beendet den Seitenzweig; eines ohne beendet den ganzen Lauf.',
  'an END completes the instance at once, whatever the other branches are doing':
    'Ein END beendet den Lauf sofort, was auch immer die anderen Zweige tun.',
  'on that way the join waits for a branch that never arrives':
    'Auf diesem Weg wartet die Zusammenführung auf einen Zweig, der nie ankommt.',
  'choose another onMatch, or leave it out': 'Wählen Sie ein anderes onMatch, oder lassen Sie es weg.',
  'draw an edge to it, or remove it': 'Ziehen Sie eine Linie dorthin, oder entfernen Sie es.',
  'draw a line for it, or mark one of the lines with "default": true':
    'Ziehen Sie eine Linie dafür, oder geben Sie einer der Linien "default": true.',
  'mark one of the lines with "default": true': 'Geben Sie einer der Linien "default": true.',
  'mark one of its edges with "default": true': 'Geben Sie einer seiner Linien "default": true.',
  'each instance starts the next at once, until a limit stops them: let something wait on the way':
    'Jeder Lauf startet sofort den nächsten, bis eine Grenze sie anhält: lassen Sie unterwegs etwas warten.',
  'end the whole run behind the loop': 'Beenden Sie den ganzen Lauf hinter der Schleife.',
  'every branch must be able to reach the join': 'Jeder Zweig muss die Zusammenführung erreichen können.',
  'every function that actions use is listed under functions':
    'Jede Funktion, die Aktionen benutzen, steht unter functions.',
  "filter what leaves the state with the state's own filter":
    'Filtern Sie, was den Zustand verlässt, mit seinem eigenen Filter.',
  'five minutes are written PT5M, two days P2D': 'Fünf Minuten schreibt man PT5M, zwei Tage P2D.',
  'five minutes are written PT5M; write months and years as days':
    'Fünf Minuten schreibt man PT5M; Monate und Jahre schreibt man als Tage.',
  'for no limit leave it out and write the interval as R/PT1M':
    'Ohne Grenze: lassen Sie es weg, und schreiben Sie den Abstand als R/PT1M.',
  'give each of them an id': 'Geben Sie jedem eine Id.',
  'give it a duration (10m) or a time (until)': 'Geben Sie eine Dauer (10m) oder einen Zeitpunkt (until) an.',
  'give it a step other than 0': 'Geben Sie eine andere Schrittweite als 0 an.',
  'the last number is not counted; to count down, use a negative step':
    'Die letzte Zahl zählt nicht mit; zum Abwärtszählen nehmen Sie eine negative Schrittweite.',
  'give one of them a criterion, make it manual, or import it with allowCycles':
    'Geben Sie einem davon ein Kriterium, machen Sie ihn manuell, oder importieren Sie mit allowCycles.',
  'give one of them another id': 'Geben Sie einem davon eine andere Id.',
  'give several addresses as a list': 'Geben Sie mehrere Adressen als Liste an.',
  'give the rule outputs and route in a DECISION step behind the table':
    'Geben Sie der Regel Ausgaben, und verzweigen Sie in einem DECISION-Schritt hinter der Tabelle.',
  'it runs until its condition ends it or the budget of one command is used up':
    'Es läuft, bis seine Bedingung es beendet oder die Arbeit eines Befehls aufgebraucht ist.',
  'its start waits until there is one': 'Sein Start wartet, bis es einen gibt.',
  'until there is one, entering this fails': 'Bis es einen gibt, schlägt dieser Schritt fehl.',
  'lead on from the loop by its "When all are done"':
    'Führen Sie von der Schleife mit „Wenn alle fertig sind“ weiter.',
  'lead on to an END unless the instance is meant to stay open':
    'Führen Sie zu einem END weiter, wenn der Lauf nicht offen bleiben soll.',
  'lead on to an END, or the instance stays open after the timer has fired':
    'Führen Sie zu einem END weiter, sonst bleibt der Lauf nach der Frist offen.',
  'leave cancelRemaining out': 'Lassen Sie cancelRemaining weg.',
  'leave chain out, or continueAs': 'Lassen Sie chain oder continueAs weg.',
  'leave ends out, or continueAs': 'Lassen Sie ends oder continueAs weg.',
  'leave it out if events need no token': 'Lassen Sie es weg, wenn Ereignisse kein Kennzeichen brauchen.',
  'leave it out, and use the mode COMMIT_BEFORE_DISPATCH for slow work':
    'Lassen Sie es weg, und nehmen Sie für langsame Arbeit die Art COMMIT_BEFORE_DISPATCH.',
  'leave out one of the two': 'Lassen Sie eines der beiden weg.',
  'leave the port without an edge': 'Lassen Sie den Ausgang ohne Linie.',
  'let a RestApi answer with the rows, or a SqlDatabase':
    'Lassen Sie eine RestApi oder eine SqlDatabase mit den Zeilen antworten.',
  'let a SUBFLOW do a part of it': 'Lassen Sie einen SUBFLOW einen Teil davon tun.',
  'let a definition start the next one when it ends (nextWorkflowId)':
    'Lassen Sie einen Ablauf an seinem Ende den nächsten starten (nextWorkflowId).',
  'let it wait for all iterations: mode All, expectedCount auto':
    'Lassen Sie es auf alle Durchgänge warten: mode All, expectedCount auto.',
  'let something in the loop wait, or give it a way out':
    'Lassen Sie in der Schleife etwas warten, oder geben Sie ihr einen Ausgang.',
  'long paths in filters, and handlers of the workflow, are repeated for every state that has them':
    'Lange Pfade in Filtern und Behandlungen des Ablaufs stehen bei jedem Zustand, der sie hat, noch einmal.',
  'make the instances Persistent': 'Machen Sie die Läufe dauerhaft (Persistent).',
  'move a part into a workflow of its own, or merge conditions':
    'Lagern Sie einen Teil in einen eigenen Ablauf aus, oder fassen Sie Bedingungen zusammen.',
  'name a step that the whole run comes to': 'Nennen Sie einen Schritt, zu dem der ganze Lauf kommt.',
  'name a zone of the IANA database, like Europe/Berlin or UTC':
    'Nennen Sie eine Zone der IANA-Datenbank, etwa Europe/Berlin oder UTC.',
  'name at least one trigger without `not`': 'Nennen Sie mindestens einen Auslöser ohne `not`.',
  'negate a test with `not`': 'Verneinen Sie eine Prüfung mit `not`.',
  "name it as the join of a fork, and lead that fork's branches to it":
    'Nennen Sie es als Zusammenführung einer Verzweigung, und führen Sie deren Zweige dorthin.',
  "name the first state in startsAt and give states one of the draft's seven types":
    'Nennen Sie in startsAt den ersten Zustand, und geben Sie jedem Zustand eine der sieben Arten des Entwurfs.',
  'name the next state, or set end of the state to true':
    'Nennen Sie den nächsten Zustand, oder setzen Sie end des Zustands auf true.',
  'name the next state, or set end to true': 'Nennen Sie den nächsten Zustand, oder setzen Sie end auf true.',
  'only flow graphs take arrivals while they run':
    'Nur Abläufe als Graph nehmen Eingänge, während sie laufen.',
  'only functions with an http or https address have them':
    'Nur Funktionen mit einer Adresse in http oder https haben sie.',
  'only the branches of its fork may lead to a join':
    'Zu einer Zusammenführung dürfen nur die Zweige ihrer Verzweigung führen.',
  'or give it a definitionId': 'Oder geben Sie ihm eine definitionId.',
  "outside of the quotes: 'Hello ' + name": "Außerhalb der Anführungszeichen: 'Hallo ' + name",
  'pass the join before going back': 'Gehen Sie durch die Zusammenführung, bevor Sie zurückgehen.',
  'pin a version that was published, or start the latest':
    'Nennen Sie eine veröffentlichte Version, oder starten Sie die neueste.',
  'put a Decision behind it': 'Setzen Sie eine Entscheidung dahinter.',
  'put a Split & Wait behind it to do several things at once, or a Decision to choose':
    'Setzen Sie eine Verzweigung dahinter, um mehreres zugleich zu tun, oder eine Entscheidung, um zu wählen.',
  'put a Wait for event into the loop: the next iteration begins when this one is over':
    'Setzen Sie ein Warten auf ein Ereignis in die Schleife: der nächste Durchgang beginnt, wenn dieser vorbei ist.',
  'put one inside the other': 'Setzen Sie das eine in das andere.',
  'remove it': 'Entfernen Sie es.',
  'run it with pawl test': 'Führen Sie es mit pawl test aus.',
  'say "chain": false at the ENDs that must not, and true at the others':
    'Schreiben Sie "chain": false an jedes END, das es nicht soll, und true an die anderen.',
  'say when this way is taken, or make it the default':
    'Sagen Sie, wann dieser Weg genommen wird, oder machen Sie ihn zum Sonst-Weg.',
  'send a whole object by one path': 'Senden Sie ein ganzes Objekt mit einem Pfad.',
  'send data as parameters of the action': 'Senden Sie Daten als Parameter der Aktion.',
  'send it as a header of metadata: "Authorization": "{{ secrets.NAME }}"':
    'Senden Sie es als Kopfzeile in metadata: "Authorization": "{{ secrets.NAME }}"',
  'send it as a header: "Authorization": "{{ secrets.NAME }}"':
    'Senden Sie es als Kopfzeile: "Authorization": "{{ secrets.NAME }}"',
  'set collectResults to false and waitTimeoutMs to 0, or let fewer branches meet':
    'Setzen Sie collectResults auf false und waitTimeoutMs auf 0, oder lassen Sie weniger Zweige zusammenkommen.',
  'set end to true in the state that is the last': 'Setzen Sie end im letzten Zustand auf true.',
  'the delay before the first retry, as in PT1S': 'Die Pause vor der ersten Wiederholung, etwa PT1S.',
  'the only type is EXTERNAL': 'Die einzige Art ist EXTERNAL.',
  'there are ARRAY_LENGTH, ARRAY_ELEMENTS, TYPE and STRUCTURAL':
    'Es gibt ARRAY_LENGTH, ARRAY_ELEMENTS, TYPE und STRUCTURAL.',
  'there are MERGE, REPLACE and ACTIVATE': 'Es gibt MERGE, REPLACE und ACTIVATE.',
  'there are NONE and FIXED; empty is NONE': 'Es gibt NONE und FIXED; leer ist NONE.',
  'there is one elsewhere, but no transition leads into a branch, out of one or into another':
    'Es gibt ihn anderswo, aber kein Übergang führt in einen Zweig, aus einem heraus oder in einen anderen.',
  'two days after the task was opened are P2D, a certain time is 2026-11-16T09:00:00Z':
    'Zwei Tage nach dem Öffnen der Aufgabe sind P2D, ein bestimmter Zeitpunkt ist 2026-11-16T09:00:00Z.',
  'types are %s': put('Arten sind %s.'),
  'types of a function with an address are %s': put('Arten einer Funktion mit Adresse sind %s.'),
  'use a Match to choose among several ways': 'Nehmen Sie ein Match, um unter mehreren Wegen zu wählen.',
  'use a Match where the ways meet: it waits only for those that were taken':
    'Nehmen Sie ein Match, wo die Wege zusammenkommen: es wartet nur auf die, die genommen wurden.',
  'use http:, https:, local: and a job type, or a job type alone; with type worker any resource does':
    'Nehmen Sie http:, https:, local: und eine Art von Auftrag, oder nur eine Art von Auftrag; bei type worker geht jede.',
  'use letters, digits, _, : and - only': 'Nehmen Sie nur Buchstaben, Ziffern, _, : und -.',
  'use member names and indices only, as in $.a.b[0]':
    'Nehmen Sie nur Namen von Feldern und Nummern, etwa $.a.b[0].',
  'use the id': 'Nehmen Sie die Id.',
  'use the results of the loop': 'Nehmen Sie die Ergebnisse der Schleife.',
  'use the secret in the call that needs it': 'Nehmen Sie das Geheimnis in dem Aufruf, der es braucht.',
  'use trigger_mqtt with a filter': 'Nehmen Sie trigger_mqtt mit einem Filter.',
  'what branches bring is told apart by their names':
    'Die Ergebnisse der Zweige unterscheidet man an ihren Namen.',
  "what the last action gives is placed in the state's data, with all that the action's own resultPath made of it":
    'Das Ergebnis der letzten Aktion kommt in die Daten des Zustands, mit allem, was der resultPath der Aktion daraus gemacht hat.',
  'with hit policy U the instance fails when two rules hold; F takes the first':
    'Bei U schlägt der Lauf fehl, wenn zwei Regeln zutreffen; F nimmt die erste.',
  'write $1, $2, … and give the values in params':
    'Schreiben Sie $1, $2, … und geben Sie die Werte in params an.',
  'write 1, and give the trigger a deduplicationKey':
    'Schreiben Sie 1, und geben Sie dem Auslöser einen deduplicationKey.',
  'write 30s, 10m, 2h, 1h30m or 7d': 'Schreiben Sie 30s, 10m, 2h, 1h30m oder 7d.',
  'write "0-100", "100-" or {"min": 0}': 'Schreiben Sie "0-100", "100-" oder {"min": 0}.',
  'write "entity/1"': 'Schreiben Sie "entity/1".',
  'write "graph/1"': 'Schreiben Sie "graph/1".',
  'write "%s"': put('Schreiben Sie "%s".'),
  'write "PT%sS"': put('Schreiben Sie "PT%sS".'),
  'write PT%sS for seconds': put('Sekunden schreibt man PT%sS.'),
  'write %s: they all mean the grammar of this engine': put(
    'Schreiben Sie %s: sie alle meinen die Formeln dieser Engine.',
  ),
  'write a last rule with an empty "when" instead':
    'Schreiben Sie stattdessen eine letzte Regel mit leerem "when".',
  'write a time such as 2026-01-31T12:00:00Z': 'Schreiben Sie einen Zeitpunkt wie 2026-01-31T12:00:00Z.',
  "write all of it for the draft of January 2020, without a later version's fields":
    'Schreiben Sie alles nach dem Entwurf vom Januar 2020, ohne Felder einer späteren Version.',
  'write an ISO 8601 duration, such as PT15M': 'Schreiben Sie eine Dauer nach ISO 8601, etwa PT15M.',
  'write latest, or a number from 1 on': 'Schreiben Sie latest oder eine Zahl ab 1.',
  'write local: and the job type that workers poll for':
    'Schreiben Sie local: und die Art von Auftrag, die Worker abholen.',
  'write nodes.ID.OUTPUT': 'Schreiben Sie nodes.ID.OUTPUT.',
  'write refname': 'Schreiben Sie refname.',
  'write the name of a variable: $.status or $.device.battery':
    'Schreiben Sie den Namen einer Variablen: $.status oder $.device.battery.',
  'write the outputs and their values': 'Schreiben Sie die Ausgaben und ihre Werte.',
  'write the server into the workflow, or keep it in a variable that no step changes':
    'Schreiben Sie den Server in den Ablauf, oder halten Sie ihn in einer Variablen, die kein Schritt ändert.',
  'write triggers.ID': 'Schreiben Sie triggers.ID.',
  'write {{ }} with two braces, unless the value is known to be safe':
    'Schreiben Sie {{ }} mit zwei Klammern, es sei denn, der Wert ist gewiss harmlos.',
  '{name} is filled from the parameters; secrets go into query or headers of metadata':
    '{name} wird aus den Parametern gefüllt; Geheimnisse gehören in query oder headers von metadata.',
};
