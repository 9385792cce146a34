/** The German texts. */
import { shortDevice } from '../devices.ts';
import type { Texts } from './en.ts';
import { dotted } from './words.ts';

const number = (count: number) => count.toLocaleString('de');
const counted = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;
const pictures = (count: number) => counted(count, 'Bild', 'Bilder');
const quoted = (text: string | undefined) => (text === undefined ? '' : `: „${text}“`);
const ASK = 'Bitten Sie die Person, die Ihnen den Link geschickt hat, um einen neuen.';
const DEVICES: Readonly<Record<string, string>> = { mobile: 'Android-Smartphone', tablet: 'Android-Tablet' };

export const de: Texts = {
  name: 'Deutsch',
  device: (name) => DEVICES[name] ?? shortDevice(name),
  notices: {
    set_ready: ({ set, about, isInReview, count, failed }) => [
      `${isInReview ? 'Bereit zur Prüfung' : 'Bilder sind fertig'}: ${set}`,
      `${pictures(count)}${isInReview ? ` ${count === 1 ? 'wartet' : 'warten'} auf eine Entscheidung` : ''}${failed > 0 ? `, ${number(failed)} weitere fehlgeschlagen` : ''}. ${about}`,
    ],
    set_failed: ({ set, about, failed }) => [
      `Fehlgeschlagen: ${set}`,
      `Keines von ${counted(failed, 'Bild', 'Bildern')} konnte aufgenommen werden. Die Seite zeigt, warum. ${about}`,
    ],
    picture_rejected: ({ set, about, by, count, place, text }) => [
      `Abgelehnt von ${by ?? 'einem Prüfer'}: ${count === 0 ? set : count === 1 && place ? place : pictures(count)}${quoted(text)}`,
      count === 1 ? set : `${set}. ${about}`,
    ],
    client_answered: ({ set, about, by = '', isApproval, count, times }) => [
      isApproval
        ? `${by} (Kunde) hat ${pictures(count)} freigegeben: ${set}`
        : `Änderungswunsch von ${by} (Kunde) zu ${counted(count, 'Bild', 'Bildern')}: ${set}`,
      `${times > 1 ? `${number(times)} Antworten. ` : ''}${about}`,
    ],
    share_opened: ({ set, about, label = '' }) => [
      `Vom Kunden geöffnet: ${set}`,
      `Der Freigabelink${label === '' ? '' : ` „${label}“`} wurde zum ersten Mal geöffnet. ${about}`,
    ],
    endpoint_disabled: ({ label = '', reason = '' }) => [
      `Webhook-Endpunkt deaktiviert: ${label}`,
      `${reason} Beheben Sie den Fehler beim Empfänger, und aktivieren Sie dann den Endpunkt.`,
    ],
    schedule_paused: ({ label = '', reason = '' }) => [
      `Zeitplan angehalten: ${label}`,
      `${reason} Korrigieren Sie den Zeitplan, und setzen Sie ihn dann fort.`,
    ],
    quota_near: ({ used, quota }) => [
      used >= quota
        ? 'Das Tageskontingent ist aufgebraucht'
        : `${Math.floor((100 * used) / quota)} % des Tageskontingents sind verbraucht`,
      `Heute wurden ${number(used)} von ${counted(quota, 'Bild', 'Bildern')} angefordert. Der nächste Tag beginnt um 00:00 Uhr UTC.`,
    ],
    change: ({ by, text, place, count }) => {
      const where = count > 1 || (place === undefined && count > 0) ? pictures(count) : place;
      const what = count === 0 ? 'Kommentar' : 'Änderungswunsch';
      return `${what} von ${by} (Kunde)${quoted(text)}${where === undefined ? '' : ` – ${where}`}`;
    },
    otherAnswers: ({ approved, more, set }) =>
      `${[more > 0 && counted(more, 'weiterer Änderungswunsch', 'weitere Änderungswünsche'), approved > 0 && `${pictures(approved)} freigegeben`].filter(Boolean).join(', ')}: ${set}`,
    about: (sites, devices) => {
      const others = sites.length > 3 ? ` und ${number(sites.length - 3)} weitere` : '';
      return dotted(sites.slice(0, 3).join(', ') + others, devices.join(', '));
    },
    andMore: (title, count) => `${title} und ${number(count)} weitere`,
    unlisted: (count) => `Und ${number(count)} weitere, die hier nicht aufgeführt sind.`,
    ...{ aSet: 'ein Set', open: 'Öffnen' },
  },
  memberMail: {
    why: (organization) =>
      `Sie erhalten diese E-Mail als Mitglied von ${organization}. Melden Sie sich an, um die Seiten zu öffnen.`,
    choose: 'Benachrichtigungen auswählen',
    stop: (organization) => `Benachrichtigungen zu ${organization} abbestellen`,
  },
  clientMail: {
    confirmText: (campaign) =>
      `Diese Adresse wurde für E-Mails über Antworten und neue Bilder zu ${campaign} eingetragen. Öffnen Sie den Link, um sie zu bestätigen. Falls Sie das nicht waren, ignorieren Sie diese E-Mail: Sie erhalten keine weiteren.`,
    replied: ({ by, text, place }) =>
      `${by === null ? 'Antwort' : `Antwort von ${by}`}${quoted(text)}${place === undefined ? '' : ` – ${place}`}`,
    newPictures: (count, campaign) => `${counted(count, 'neues Bild', 'neue Bilder')}: ${campaign}`,
    why: (name) =>
      `Sie erhalten diese E-Mail, weil Sie Antworten zu Bildern abonniert haben, die ${name} mit Ihnen geteilt hat.`,
  },
  document: {
    ...{ preview: 'Platzierungsvorschau', previews: 'Platzierungsvorschauen' },
    disclaimer: 'Platzierungsvorschau: Das Werbemittel wurde für dieses Bild in die Live-Seite eingesetzt.',
    captured: (first, last) => (first === last ? `Aufgenommen am ${first}` : `Aufgenommen vom ${first} bis ${last}`),
    counts: (count, sites, devices) =>
      dotted(pictures(count), counted(sites, 'Website', 'Websites'), devices && counted(devices, 'Gerät', 'Geräte')),
    part: (part, parts) => `Teil ${part} von ${parts}`,
    about:
      'Jede Seite wurde zu der Zeit unter ihrem Bild geöffnet, und das Werbemittel wurde in einen ihrer Werbeplätze eingesetzt. Die Bilder zeigen, wie die Kampagne dort aussieht. Sie belegen nicht, dass sie ausgespielt wurde.',
    ...{ contact: 'Kontakt', overview: 'Überblick', summary: 'Zusammenfassung', failures: 'Nicht aufgenommen' },
    findings: 'Prüfung der Werbemittel',
    columns: {
      ...{ site: 'Website', page: 'Seite', ad: 'Werbemittel', size: 'Format', device: 'Gerät' },
      ...{ pictures: 'Bilder', status: 'Status', reason: 'Grund', rule: 'Regel', finding: 'Befund' },
    },
    statuses: {
      ...{ pending: 'In Arbeit', uploaded: 'Aufgenommen', canceled: 'Abgebrochen' },
      ad_not_captured: 'Werbemittel nicht darstellbar',
      net_read_timeout: 'Website zu langsam',
      ...{ no_slots: 'Kein Platz für das Werbemittel', not_found: 'Seite nicht gefunden' },
      ...{ blocked: 'Von der Website blockiert', generic_error: 'Nicht aufgenommen' },
    },
    thePage: (title, device) => `Die Seite ${title}, ${device}`,
    ...{ size: 'Format des Werbemittels', moment: 'Zeitpunkt im Werbemittel', defaultMoment: 'Standardbild' },
    ...{ time: 'Aufgenommen', slot: 'Werbeplatz' },
    slotUncertain: 'Zu prüfen: Dieser Werbeplatz ist vielleicht nicht der beste',
    describe: (ad, moment, site, device) =>
      `Platzierungsvorschau: ${ad}${moment === undefined ? '' : ` bei ${moment}`} auf ${site}, ${device}`,
  },
  parts: {
    page: { skip: 'Zum Inhalt springen', close: 'Schließen' },
    list: { label: 'Seiten', page: 'Seite', first: 'Erste Seite', previous: 'Vorherige Seite', next: 'Nächste Seite' },
    pictures: { label: 'Bilder', previous: 'Vorheriges Bild', next: 'Nächstes Bild' },
    place: (at, total) => `${at} von ${total}`,
    compare: { label: 'Vergleichen', with: 'Vergleichen mit', end: 'Vergleich beenden', overlay: 'Überlagern' },
    stage: { actual: 'Originalgröße', open: 'Vergrößern', moments: 'Zeitpunkte', play: 'Abspielen', stop: 'Stopp' },
    threads: { comment: 'Kommentar', pin: 'Im Bild markieren', earlier: 'zum Bild vor der Neuaufnahme' },
    resolved: (count) => `${count} erledigt`,
    download: {
      form: { label: 'Herunterladen', format: 'Dateiformat', frame: 'Rahmen', pictures: 'Bilder' },
      formats: { pptx: 'PowerPoint (PPTX)', pdf: 'PDF', zip: 'Originalbilder (ZIP)' },
      frames: { none: 'Ohne', browser: 'Browserfenster mit Adresse und Zeit', device: 'Gerät oder Browserfenster' },
      most: (most) => `Eine PowerPoint- oder PDF-Datei fasst ${most} Bilder, eine ZIP-Datei alle.`,
      page: { progress: 'Bilder in der Datei', again: 'Noch einmal herunterladen', back: 'Zurück zu den Bildern' },
      building: (done, total) =>
        `${done} von ${counted(total, 'Bild', 'Bildern')} sind in der Datei. Der Download startet, sobald sie fertig ist.`,
      states: {
        ready: 'Die Datei ist fertig, der Download startet.',
        expired: 'Diese Datei wurde gelöscht. Starten Sie den Download noch einmal.',
        failed: 'Die Datei konnte nicht erstellt werden. Versuchen Sie es später noch einmal.',
      },
    },
  },
  share: {
    you: { name: 'Ihr Name', email: 'Ihre E-Mail-Adresse', example: 'Zum Beispiel anna@agentur.example' },
    form: { optional: '(zu einer Antwort optional)', only: 'Nur den Kommentar senden', reply: 'Antworten' },
    follow: 'Per E-Mail über Antworten und neue Bilder informieren',
    answers: { approved: 'Freigegeben', changes_requested: 'Änderung gewünscht', new: 'Neue Version', none: 'Offen' },
    actions: { approved: 'Freigeben', changes_requested: 'Änderung wünschen' },
    headings: { answer: 'Antwort', yours: 'Ihre Antwort', comments: 'Kommentare', details: 'Antworten und Details' },
    names: { sender: 'Absender', onAll: 'Kommentare zu allen Bildern', before: 'Bild davor' },
    forAll: { all: 'Alle beantworten', rest: 'Übrige beantworten' },
    scope: (open, isRest) =>
      `Ihre Antwort gilt für ${pictures(open)}${isRest ? ' ohne Antwort. Die anderen Antworten bleiben bestehen' : ''}.`,
    none: 'Zurzeit gibt es keine Bilder.',
    taking: { all: 'Die Bilder werden gerade aufgenommen.', more: 'Weitere Bilder werden gerade aufgenommen.' },
    replaced: { title: 'Dieses Bild wurde ersetzt', next: 'Neues Bild ansehen' },
    withdrawn: { title: 'Dieses Bild wird nicht mehr gezeigt', next: 'Alle Bilder ansehen' },
    unsent: 'Ihr Text wurde nicht gesendet. Kopieren Sie ihn, falls Sie ihn noch brauchen:',
    password: { label: 'Passwort', title: 'Diese Bilder sind durch ein Passwort geschützt', show: 'Bilder ansehen' },
    key: { hint: 'Fragen Sie die Person, von der Sie den Link haben.', wrong: 'Das Passwort stimmt nicht.' },
    links: {
      expired: ['Dieser Freigabelink ist abgelaufen', `Freigabelinks gelten nur für begrenzte Zeit. ${ASK}`],
      revoked: ['Dieser Freigabelink wurde zurückgezogen', `Er zeigt keine Bilder mehr. ${ASK}`],
      disabled: ['Diese Bilder sind zurzeit nicht verfügbar', 'Versuchen Sie es später noch einmal.'],
      removed: ['Diese Bilder wurden gelöscht', 'Der Absender hat sie gelöscht oder bewahrt Bilder nur begrenzt auf.'],
      unknown: ['Diese Adresse gibt es nicht', 'Der Link ist unvollständig oder nicht mehr gültig.'],
    },
    sent: {
      answered: 'Vielen Dank! Ihre Antwort wurde gesendet.',
      commented: 'Vielen Dank! Ihr Kommentar wurde gesendet.',
      followed:
        'Vielen Dank! Bitte bestätigen Sie Ihre Adresse mit dem Link in der E-Mail, falls noch nicht geschehen.',
    },
    errors: {
      title: 'Das hat nicht geklappt',
      invalid: 'Bitte prüfen Sie Ihren Namen, Ihre E-Mail-Adresse und Ihren Kommentar.',
      conflict: 'Alle Bilder sind schon beantwortet. Um eine Antwort zu ändern, öffnen Sie das Bild.',
      rate_limited: 'Es kamen zu viele Anfragen gleichzeitig. Versuchen Sie es in einer Minute noch einmal.',
      other: 'Die Seite kann nicht angezeigt werden. Öffnen Sie den Link noch einmal, oder versuchen Sie es später.',
    },
  },
  followPages: {
    follow: {
      ...{ ask: 'Antworten per E-Mail erhalten?', label: 'Ja, ich möchte die Antworten erhalten' },
      done: 'Ihre Adresse ist bestätigt',
      doneText: 'Sie erhalten E-Mails über Antworten und neue Bilder. In jeder können Sie diese E-Mails abbestellen.',
    },
    unfollow: {
      ...{ ask: 'Diese E-Mails abbestellen?', label: 'Diese E-Mails abbestellen', done: 'Keine weiteren E-Mails' },
      doneText: 'Sie erhalten keine E-Mails mehr zu diesen Bildern.',
    },
  },
};
