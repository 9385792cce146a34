/**
 * Removes secrets from a finished log line: in fields, messages, error texts and JSON inside strings. Checking field
 * names alone is not enough, because URLs and headers appear in messages.
 */
const HIDDEN = '[redacted]';
/** The most characters of one text. It limits the length of a line and the work on it. */
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
const SIGNING_PARAMETERS = 's|sig|signature|token|key|code|secret|x-amz-[a-z-]+|awsaccesskeyid';

/** @returns a pattern of the text in which each character may be percent-encoded, in either case. */
const encodable = (text: string) =>
  [...text].map((sign) => `(?:${sign}|${hexOf(sign)}|${hexOf(sign.toUpperCase())})`).join('');
const hexOf = (sign: string) => `%${Buffer.from(sign).toString('hex')}`;
const SLASH = encodable('/');
const PATHS = ['i', 's', 'e', 'sign-in', 'invitations'].map(encodable).join('|');
const TOKEN = '(?:[A-Za-z0-9_-]|%[0-9a-f]{2})';

const RULES: readonly (readonly [RegExp, string])[] = [
  // The id stays, because it identifies the key.
  [/ts_live_([A-Za-z0-9]{8})_[A-Za-z0-9_-]+/g, `ts_live_$1_${HIDDEN}`],
  [new RegExp(`${encodable('ts_live_')}${TOKEN}{16,}`, 'gi'), `ts_live_${HIDDEN}`],
  [/whsec_[A-Za-z0-9+/=_-]+/g, `whsec_${HIDDEN}`],
  [/\b(bearer|basic) +[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  // name: value, name=value, and "name":"value" in JSON with any level of escaped quotes.
  [
    new RegExp(
      `\\b(${SECRET_NAMES})((?:\\\\*["'])?\\s?[:=]\\s?(?:\\\\*["'])?)(?!\\[redacted\\]|bearer |basic )[^\\s"'\\\\,;&}\\]]{3,}`,
      'gi',
    ),
    `$1$2${HIDDEN}`,
  ],
  // postgres://user:password@host
  [/(:\/\/[^\s:/@"\\]{0,256}):[^\s@/"\\]{1,256}@/g, `$1:${HIDDEN}@`],
  // The query of every absolute URL: presigned URLs, share links, tokens of clients.
  [/\b((?:https?|wss?):\/\/[^\s?#"'\\<>]+)\?[^\s"'\\<>]+/gi, `$1?${HIDDEN}`],
  [new RegExp(`([?&](?:${SIGNING_PARAMETERS})=)[^&\\s"'\\\\<>]+`, 'gi'), `$1${HIDDEN}`],
  // S3 requests with a signature in their headers.
  [/\b(signature=)[A-Za-z0-9+/=_-]{8,}/gi, `$1${HIDDEN}`],
  // Addresses of pictures and exports, share links and links that sign in or invite: each one gives access to what it shows. Routes ignore the
  // case of a path, and a client may write each character of it in percent-encoded form.
  [new RegExp(`(${SLASH}(?:${PATHS})${SLASH})${TOKEN}{16,}(?:(?:\\.|%2e)${TOKEN}+)?`, 'gi'), `$1${HIDDEN}`],
];

/** Matches every line that a rule could change. Most lines do not match, which saves the work of the rules. */
const SUSPECT = new RegExp(
  `ts_live_|whsec_|bearer|basic|signature=|://|[?&]|/[ise]/|/sign-in/|/invitations/|%[0-9a-f]{2}|${SECRET_NAMES}`,
  'i',
);

/** @param line one JSON object with its line break. */
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
