/**
 * Takes what opens doors out of a finished log line, wherever in it it stands: in a field, in a message, in an error's
 * text, in JSON inside a string. Field names alone would not do, since addresses and headers end up in messages.
 */
const HIDDEN = '[redacted]';
/** Bounds the work on a line, and the line. */
const MAX_TEXT = 8_192;

const SECRET_NAMES = [
  'proxy-authorization',
  'authorization',
  'set-cookie',
  'cookie',
  'api_?key',
  'password',
  'webhook_?secret',
  'previous_?webhook_?secret',
  'secret_?access_?key',
  'session_?token',
  'secret',
  'token',
].join('|');
const SECRET_FIELD = new RegExp(`^(?:${SECRET_NAMES})$`, 'i');
const SIGNING_PARAMETERS = 's|sig|signature|token|key|secret|x-amz-[a-z-]+|awsaccesskeyid';

const RULES: readonly (readonly [RegExp, string])[] = [
  // The id tells which key it was.
  [/ts_live_([A-Za-z0-9]{8})_[A-Za-z0-9_-]+/g, `ts_live_$1_${HIDDEN}`],
  [/whsec_[A-Za-z0-9+/=_-]+/g, `whsec_${HIDDEN}`],
  [/\b(bearer|basic) +[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  // name: value, name=value, and "name":"value" in JSON whose quotes were escaped any number of times.
  [
    new RegExp(
      `\\b(${SECRET_NAMES})((?:\\\\*["'])?\\s?[:=]\\s?(?:\\\\*["'])?)(?!\\[redacted\\]|bearer |basic )[^\\s"'\\\\,;&}\\]]{3,}`,
      'gi',
    ),
    `$1$2${HIDDEN}`,
  ],
  // postgres://user:password@host
  [/(:\/\/[^\s:/@"\\]{0,256}):[^\s@/"\\]{1,256}@/g, `$1:${HIDDEN}@`],
  // Every query of an absolute address: presigned ones, share links, clients' own tokens.
  [/\b((?:https?|wss?):\/\/[^\s?#"'\\<>]+)\?[^\s"'\\<>]+/gi, `$1?${HIDDEN}`],
  [new RegExp(`([?&](?:${SIGNING_PARAMETERS})=)[^&\\s"'\\\\<>]+`, 'gi'), `$1${HIDDEN}`],
  // Requests to S3 that are signed in headers.
  [/\b(signature=)[A-Za-z0-9+/=_-]{8,}/gi, `$1${HIDDEN}`],
  // Addresses of pictures: whoever has one sees the picture.
  [/(\/i\/)[A-Za-z0-9_-]{16,}/g, `$1${HIDDEN}`],
];

/** Something that every rule needs to find in a line, whatever quotes are escaped in it; most lines have none of it. */
const SUSPECT = new RegExp(`ts_live_|whsec_|bearer|basic|signature=|://|[?&]|/i/|${SECRET_NAMES}`, 'i');

/** @param line one JSON object, with a line's end. */
export function redactLine(line: string): string {
  if (line.length <= MAX_TEXT && !SUSPECT.test(line)) return line;
  return `${JSON.stringify(redactValue(JSON.parse(line)))}\n`;
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    redactText(name),
    SECRET_FIELD.test(name) ? HIDDEN : redactValue(inner),
  ]);
  return Object.fromEntries(entries);
}

function redactText(text: string): string {
  const bounded = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
  return RULES.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), bounded);
}
