/* texts/de/gallery.ts — Deutsch: the words of the flows to begin with (examples/templates), found by the English ones. */
import type { Like } from '../shape';
import type { gallery as English } from '../en/gallery';

export const gallery = {
  // More than one of them says it.
  Reason: 'Grund',
  From: 'Von',
  Sent: 'Gesendet',
  'Ask the manager': 'Leitung fragen',
  approve: 'freigeben',

  'Invoice approval': 'Rechnungsfreigabe',
  'An invoice over the limit goes to the manager; a smaller one is paid at once. An invoice that cannot be paid goes to accounting.':
    'Eine Rechnung über der Grenze geht an die Leitung, eine kleinere wird sofort bezahlt. Lässt sich eine Rechnung nicht bezahlen, geht sie an die Buchhaltung.',
  'Invoice number': 'Rechnungsnummer',
  Supplier: 'Lieferant',
  Amount: 'Betrag',
  "The supplier's e-mail": 'E-Mail des Lieferanten',
  'Invoice arrives': 'Rechnung kommt',
  'Enter an invoice': 'Rechnung eingeben',
  'Over the limit?': 'Über der Grenze?',
  'Invoice {{ trigger.payload.number }} of {{ trigger.payload.supplier }}: {{ trigger.payload.amount }}':
    'Rechnung {{ trigger.payload.number }} von {{ trigger.payload.supplier }}: {{ trigger.payload.amount }}',
  reject: 'ablehnen',
  'Cost centre': 'Kostenstelle',
  'Pay it': 'Bezahlen',
  'Pay by hand': 'Von Hand bezahlen',
  'Pay {{ trigger.payload.number }} by hand: {{ nodes.pay.error.message }}':
    '{{ trigger.payload.number }} von Hand bezahlen: {{ nodes.pay.error.message }}',
  paid: 'bezahlt',
  'Tell the supplier': 'Lieferanten absagen',
  'Invoice {{ trigger.payload.number }}': 'Rechnung {{ trigger.payload.number }}',
  'We do not pay this invoice. {{ nodes.manager.payload.reason | default("") }}':
    'Wir bezahlen diese Rechnung nicht. {{ nodes.manager.payload.reason | default("") }}',
  Paid: 'Bezahlt',
  Refused: 'Abgelehnt',
  'over the limit': 'über der Grenze',
  otherwise: 'sonst',
  'cannot be paid': 'nicht bezahlbar',

  'Leave request': 'Urlaubsantrag',
  'Somebody asks for leave and the manager decides. After two days the manager is reminded; after five the request is declined.':
    'Jemand beantragt Urlaub, und die Leitung entscheidet. Nach zwei Tagen wird sie erinnert, nach fünf ist der Antrag abgelehnt.',
  'Who asks': 'Wer fragt',
  'Who decides': 'Wer entscheidet',
  Until: 'Bis',
  'Working days': 'Arbeitstage',
  'Leave asked for': 'Urlaub beantragt',
  'Ask for leave': 'Urlaub beantragen',
  'Only a day?': 'Nur ein Tag?',
  'Leave of {{ trigger.payload.who }} from {{ trigger.payload.from }}':
    'Urlaub von {{ trigger.payload.who }} ab {{ trigger.payload.from }}',
  decline: 'ablehnen',
  later: 'später',
  'Note to them': 'Nachricht dazu',
  'Wait a day': 'Einen Tag warten',
  'Tell them: approved': 'Zusage senden',
  'Your leave from {{ trigger.payload.from }} is approved':
    'Ihr Urlaub ab {{ trigger.payload.from }} ist genehmigt',
  'Enjoy it. {{ nodes.ask.payload.note | default("") }}':
    'Gute Erholung! {{ nodes.ask.payload.note | default("") }}',
  'Tell them: declined': 'Absage senden',
  'Your leave from {{ trigger.payload.from }} is declined':
    'Ihr Urlaub ab {{ trigger.payload.from }} ist abgelehnt',
  '{{ nodes.ask.payload.note | default("Nobody has answered in time.") }}':
    '{{ nodes.ask.payload.note | default("Niemand hat rechtzeitig geantwortet.") }}',
  Booked: 'Eingetragen',
  Declined: 'Abgelehnt',
  'a day or less': 'höchstens ein Tag',
  longer: 'länger',

  'Order with payment': 'Bestellung mit Zahlung',
  'Stock is reserved, the card is charged, the parcel is sent. If the parcel cannot be sent, the money goes back and the stock is free again.':
    'Die Ware wird reserviert, die Karte belastet, das Paket versandt. Geht der Versand nicht, kommt das Geld zurück, und die Ware ist wieder frei.',
  'Order number': 'Bestellnummer',
  "The customer's e-mail": 'E-Mail des Kunden',
  Total: 'Summe',
  Article: 'Artikel',
  Quantity: 'Menge',
  Address: 'Adresse',
  'Order comes in': 'Bestellung kommt',
  'Enter an order': 'Bestellung eingeben',
  'Reserve the stock': 'Ware reservieren',
  'Charge the card': 'Karte belasten',
  'Send the parcel': 'Paket versenden',
  'Tell the customer': 'Kunden schreiben',
  'Your order {{ trigger.payload.order }} is on its way':
    'Ihre Bestellung {{ trigger.payload.order }} ist unterwegs',
  'Follow it: {{ nodes.send.body.tracking }}': 'Verfolgen Sie sie: {{ nodes.send.body.tracking }}',

  'Sensor alarm': 'Sensoralarm',
  'A sensor reports over MQTT that it is too hot. If it does not report that all is well within 15 minutes, a technician looks at it.':
    'Ein Sensor meldet über MQTT, dass es zu heiß ist. Meldet er nicht binnen 15 Minuten Entwarnung, sieht ein Techniker nach.',
  'Too hot': 'Zu heiß',
  'All is well': 'Entwarnung',
  'Wait for the all-clear': 'Auf Entwarnung warten',
  'Look at the machine': 'Maschine ansehen',
  'Sensor {{ instance.businessKey }}: {{ triggers.hot.payload.celsius }} °C':
    'Sensor {{ instance.businessKey }}: {{ triggers.hot.payload.celsius }} °C',
  repaired: 'repariert',
  'false alarm': 'Fehlalarm',
  Over: 'Vorbei',

  'Support ticket': 'Supportanfrage',
  'A question goes to first-line support. If they cannot solve it, or do not answer within four hours, it goes to the experts.':
    'Eine Frage geht an den Support. Kann er sie nicht lösen oder antwortet er nicht binnen vier Stunden, geht sie an die Fachleute.',
  Subject: 'Betreff',
  Question: 'Frage',
  'Question comes in': 'Frage kommt',
  'Enter a question': 'Frage eingeben',
  'First line answers': 'Support antwortet',
  solved: 'gelöst',
  'pass on': 'weitergeben',
  'Answer to the customer': 'Antwort an den Kunden',
  'Experts answer': 'Fachleute antworten',
  'Send the answer': 'Antwort senden',
  'Re: {{ trigger.payload.subject }}': 'AW: {{ trigger.payload.subject }}',
  Solved: 'Gelöst',

  'Weekly report': 'Wochenbericht',
  'Every Monday at eight the numbers of the week are fetched. Somebody reads them before they go to everybody; if nobody does, they go out at noon.':
    'Jeden Montag um acht werden die Zahlen der Woche geholt. Jemand liest sie, bevor sie an alle gehen; liest sie niemand, gehen sie mittags hinaus.',
  'Every Monday at eight': 'Jeden Montag um acht',
  Now: 'Jetzt',
  'Make a report now': 'Bericht jetzt erstellen',
  'Fetch the numbers': 'Zahlen holen',
  'Read it first': 'Zuerst lesen',
  'Report of the week: {{ nodes.numbers.body.orders }} orders':
    'Wochenbericht: {{ nodes.numbers.body.orders }} Bestellungen',
  'send it': 'senden',
  'keep it back': 'zurückhalten',
  'A remark for everybody': 'Eine Bemerkung für alle',
  'Send it to everybody': 'An alle senden',
  'Report of the week': 'Wochenbericht',
  'Orders: {{ nodes.numbers.body.orders }}. Returns: {{ nodes.numbers.body.returns }}. {{ nodes.read.payload.remark | default("") }}':
    'Bestellungen: {{ nodes.numbers.body.orders }}. Rücksendungen: {{ nodes.numbers.body.returns }}. {{ nodes.read.payload.remark | default("") }}',
  'Kept back': 'Zurückgehalten',
} as const satisfies Like<typeof English>;
