/* texts/de/connections.ts — German: the texts of the page of connections. */
import { count, rich } from '../say';
import type { Like } from '../shape';
import type { connections as English } from '../en/connections';

export const connections = {
  // connection-panel.tsx
  isGone: (name) => `${name} ist weg.`,
  remove: (name) => `${name} entfernen?`,
  letIt: 'Nicht entfernen',
  removeIt: 'Entfernen',
  itsValueCannotBeBrought: (more) => `${more} Der Wert kann nicht zurückgeholt werden.`,
  itIsUsedAtSteps: (uses) => `Verwendet an: ${uses}. Schritte dort schlagen von jetzt an fehl.`,
  nPlaces: (number) => count(number, { one: '# Stelle', other: '# Stellen' }),
  noPublishedFlowUses: 'Kein veröffentlichter Ablauf verwendet sie.',
  version: (version) => `Version ${version}`,
  at: (pointer) => `, bei ${pointer}`,
  andMore: (more) => `und ${more} weitere`,
  theConnection: 'Die Verbindung',
  closeTheConnection: 'Verbindung schließen',
  changed: (time) => rich`Geändert ${time}.`,
  theEngineIsConnected: 'Die Engine ist verbunden',
  theEngineIsNotConnected: 'Die Engine ist nicht verbunden',
  newValue: 'Neuer Wert …',
  setIt: 'Setzen …',
  remove2: 'Entfernen …',
  doesItWork: 'Funktioniert sie?',
  aCallThatUses: 'Ein Aufruf, der ihn verwendet, zeigt, ob er stimmt; für sich allein gibt es keinen Test.',
  usedBy: 'Verwendet von',

  // connections-page.tsx
  name2: 'Name',
  state: 'Zustand',
  whatIt: 'Was es ist',
  usedAt: 'Verwendet an',
  changed2: 'Geändert',
  theEnginesMailServer: 'Der Mailserver der Engine',
  itIsSetWhere: (more, code) =>
    rich`${more} Er wird beim Start der Engine gesetzt: ${code}, mit dem Namen eines Mailservers dieser Seite.`,
  remindersAndEMails:
    'Erinnerungen und E-Mails von Schritten, die keinen Server nennen, gehen darüber hinaus.',
  thereIsNoneReminders:
    'Es gibt keinen: Erinnerungen werden nicht gesendet, und E-Mails brauchen einen eigenen Server.',
  connections: 'Verbindungen',
  newConnection: 'Neue Verbindung …',
  theConnections: 'Die Verbindungen',
  noConnectionYet: 'Noch keine Verbindung',
  aMailServerADatabase:
    'Ein Mailserver, eine Datenbank, ein Broker oder ein Schlüssel, den Abläufe verwenden, erscheint hier, mit dem Hinweis, ob er funktioniert.',
  connectionsAndSecrets: 'Verbindungen und Geheimwerte',
  thereAreMoreConnections: 'Es gibt mehr Verbindungen oder Abläufe, als hier durchsucht werden.',

  // set-dialog.tsx
  server: 'Server',
  itsNameAndItsPort: 'Sein Name, und sein Port, wenn es nicht der übliche ist: mail.example:587',
  security: 'Sicherheit',
  tlsAfterTheGreeting: 'TLS nach der Begrüßung (STARTTLS)',
  tlsFromTheFirstByte: 'TLS vom ersten Byte an',
  nonePasswordsCanBeRead: 'Keine: Passwörter können unterwegs gelesen werden',
  user: 'Benutzer',
  password: 'Passwort',
  eMailsCome: 'E-Mails kommen von',
  forMessagesThatNameNo: 'Für Nachrichten, die keinen Absender nennen',
  hasANewValue: (chosen) => `${chosen} hat einen neuen Wert.`,
  newConnection2: 'Neue Verbindung',
  aNewValue: (name) => `Ein neuer Wert für ${name}`,
  setIt2: 'Setzen',
  lettersDigitsAndFlowsUse: 'Buchstaben, Ziffern, _, - und . Abläufe verwenden sie unter diesem Namen.',
  callsThatLeaveFromNow:
    'Aufrufe, die von jetzt an hinausgehen, verwenden den neuen Wert, auch die laufender Läufe.',
  whatIs: 'Was ist es?',
  value: 'Wert',

  // test-form.tsx
  sendMeAMail: 'Eine E-Mail an mich senden',
  askTheDatabase: 'Datenbank fragen',
  lookAtTheLink: 'Verbindung ansehen',
  itWorks: 'Es funktioniert.',
  itDoesNotWork: (more) => `Es funktioniert nicht: ${more}`,
  testIt: 'Testen als',
  yourEMailAddress: 'Ihre E-Mail-Adresse',
  itWorks2: 'Es funktioniert',
  itDoesNotWork2: 'Es funktioniert nicht',
  answeredIn: (tookMs, more) => `Antwort nach ${tookMs}.${more}`,
  nMilliseconds: (number) => count(number, { one: '# Millisekunde', other: '# Millisekunden' }),
  lookIntoYourMail: ' Sehen Sie in Ihre E-Mails.',

  // words.ts
  mailServer: 'Mailserver',
  database: 'Datenbank',
  mqttBroker: 'MQTT-Broker',
  webAddress: 'Webadresse',
  keyOrPassword: 'Schlüssel oder Passwort',
  notThere: 'Nicht vorhanden',
  notConnected: 'Nicht verbunden',
  notUsed: 'Nicht verwendet',
  there: 'Vorhanden',
  nobodyHasSetItSteps: 'Niemand hat es gesetzt. Schritte, die es brauchen, schlagen fehl.',
  itIsInTheEngines: 'Es liegt versiegelt im Speicher der Engine. Niemand kann es hier lesen.',
  theEnvironmentOfTheEngine: 'der Umgebung der Engine',
  itComes: (where) => `Es kommt aus ${where} und wird dort geändert.`,
  noFlow: 'kein Ablauf',
  anAddressSuchAsPostgres: 'Eine Adresse wie postgres://user:password@db.example:5432/shop',
  anAddressSuchAsMqtts: 'Eine Adresse wie mqtts://user:password@broker.example:8883',
  anAddressSuchAsHttps: 'Eine Adresse wie https://api.example/orders',
  theKeyThePassword: 'Der Schlüssel, das Passwort oder das Token selbst',

  // words.ts
  inSentence: (word) => word,

  // words.ts: where values are
  fileOfTheStart: 'einer Datei, die beim Start der Engine genannt wurde (--secret)',
  systemdCredential: 'einem Credential von systemd',
  environmentOfTheEngine: 'der Umgebung der Engine',
  storeOfTheEngine: 'dem Speicher der Engine',
} satisfies Like<typeof English>;
