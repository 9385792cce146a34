/** The German texts. */
import { shortDevice } from '../devices.ts';
import type { Texts } from './en.ts';

const number = (count: number) => count.toLocaleString('de');
const counted = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;
const pictures = (count: number) => counted(count, 'Bild', 'Bilder');
const quoted = (text: string | undefined) => (text === undefined ? '' : `: „${text}“`);
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
    change: ({ by, text, place, count }) =>
      `Änderungswunsch von ${by} (Kunde)${quoted(text)} – ${count > 1 || place === undefined ? pictures(count) : place}`,
    otherAnswers: ({ approved, more, set }) =>
      `${[more > 0 && counted(more, 'weiterer Änderungswunsch', 'weitere Änderungswünsche'), approved > 0 && `${pictures(approved)} freigegeben`].filter(Boolean).join(', ')}: ${set}`,
    about: (sites, devices) => {
      const others = sites.length > 3 ? ` und ${number(sites.length - 3)} weitere` : '';
      return [sites.slice(0, 3).join(', ') + others, devices.join(', ')].filter(Boolean).join(' · ');
    },
    aSet: 'ein Set',
    andMore: (title, count) => `${title} und ${number(count)} weitere`,
    unlisted: (count) => `Und ${number(count)} weitere, die hier nicht aufgeführt sind.`,
    open: 'Öffnen',
  },
  memberMail: {
    why: (organization) =>
      `Sie erhalten diese E-Mail als Mitglied von ${organization}. Melden Sie sich an, um die Seiten zu öffnen.`,
    choose: 'Benachrichtigungen auswählen',
    stop: (organization) => `Benachrichtigungen zu ${organization} abbestellen`,
  },
  clientMail: {
    confirm: 'Ja, ich möchte die Antworten erhalten',
    confirmText: (campaign) =>
      `Diese Adresse wurde für E-Mails über Antworten und neue Bilder zu ${campaign} eingetragen. Öffnen Sie den Link, um sie zu bestätigen. Falls Sie das nicht waren, ignorieren Sie diese E-Mail: Sie erhalten keine weiteren.`,
    replied: ({ by, text, place }) =>
      `${by === null ? 'Antwort' : `Antwort von ${by}`}${quoted(text)}${place === undefined ? '' : ` – ${place}`}`,
    newPictures: (count, campaign) => `${counted(count, 'neues Bild', 'neue Bilder')}: ${campaign}`,
    why: (name) =>
      `Sie erhalten diese E-Mail, weil Sie Antworten zu Bildern bestellt haben, die ${name} mit Ihnen geteilt hat.`,
    stop: 'Diese E-Mails abbestellen',
  },
  document: {
    preview: 'Platzierungsvorschau',
    previews: 'Platzierungsvorschauen',
    disclaimer: 'Platzierungsvorschau: Das Werbemittel wurde für dieses Bild in die Live-Seite eingesetzt.',
    captured: (first, last) => (first === last ? `Aufgenommen am ${first}` : `Aufgenommen vom ${first} bis ${last}`),
    counts: (count, sites, devices) =>
      [pictures(count), counted(sites, 'Website', 'Websites'), counted(devices, 'Gerät', 'Geräte')].join(' · '),
    part: (part, parts) => `Teil ${part} von ${parts}`,
    about:
      'Jede Seite wurde zu der Zeit unter ihrem Bild geöffnet, und das Werbemittel wurde in einen ihrer Werbeplätze eingesetzt. Die Bilder zeigen, wie die Kampagne dort aussieht. Sie belegen nicht, dass sie ausgespielt wurde.',
    contact: 'Kontakt',
    overview: 'Überblick',
    summary: 'Zusammenfassung',
    columns: {
      site: 'Website',
      ad: 'Werbemittel',
      size: 'Format',
      device: 'Gerät',
      pictures: 'Bilder',
      status: 'Status',
      reason: 'Grund',
      page: 'Seite',
    },
    failures: 'Nicht aufgenommen',
    statuses: {
      pending: 'In Arbeit',
      uploaded: 'Aufgenommen',
      ad_not_captured: 'Werbemittel nicht darstellbar',
      net_read_timeout: 'Website zu langsam',
      no_slots: 'Kein Platz für das Werbemittel',
      not_found: 'Seite nicht gefunden',
      blocked: 'Von der Website blockiert',
      generic_error: 'Nicht aufgenommen',
      canceled: 'Abgebrochen',
    },
    thePage: (title, device) => `Die Seite ${title}, ${device}`,
    size: 'Format des Werbemittels',
    moment: 'Zeitpunkt im Werbemittel',
    defaultMoment: 'Standardbild',
    time: 'Aufgenommen',
    slot: 'Werbeplatz',
    slotUncertain: 'Zu prüfen: Dieser Werbeplatz ist vielleicht nicht der beste',
    describe: (ad, moment, site, device) =>
      `Platzierungsvorschau: ${ad}${moment === undefined ? '' : ` bei ${moment}`} auf ${site}, ${device}`,
  },
  followPages: {
    unknown: 'Unbekannter Link',
    unknownText: 'Dieser Link ist nicht mehr gültig. Vielleicht werden die Bilder nicht mehr geteilt.',
    follow: {
      ask: 'Antworten per E-Mail erhalten?',
      label: 'Ja, ich möchte die Antworten erhalten',
      done: 'Ihre Adresse ist bestätigt',
      doneText: 'Sie erhalten E-Mails über Antworten und neue Bilder. In jeder können Sie diese E-Mails abbestellen.',
    },
    unfollow: {
      ask: 'Diese E-Mails abbestellen?',
      label: 'E-Mails abbestellen',
      done: 'Keine weiteren E-Mails',
      doneText: 'Sie erhalten keine E-Mails mehr zu diesen Bildern.',
    },
  },
};
