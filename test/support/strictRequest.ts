/** Reads the bytes of one request as strictly as RFC 9112 allows, so that no other parser can read them in another way. */

export interface ReadRequest {
  /** Why the bytes are not exactly one clear request; undefined if they are, or if their end is missing. */
  readonly fault?: string;
  readonly isComplete: boolean;
  readonly host?: string;
  /** After an upgrade the bytes are no HTTP. */
  readonly isUpgrade?: boolean;
}

const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const HOP_BY_HOP = new Set(['keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'trailer']);

export function readStrictly(bytes: string): ReadRequest {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return { isComplete: false };
  const [line = '', ...lines] = bytes.slice(0, end).split('\r\n');
  const fields = lines.map((text) => FIELD.exec(text)?.slice(1, 3) ?? [text]);
  const broken = fields.find((field) => field.length !== 2);
  if (broken !== undefined) return fault(`the header line ${JSON.stringify(broken[0])}`);
  if (!/^[A-Z-]+ \/[\x21-\x7e]* HTTP\/1\.1$/.test(line)) return fault(`the first line ${JSON.stringify(line)}`);
  const valuesOf = (wanted: string) =>
    fields.filter(([name]) => name?.toLowerCase() === wanted).map(([, value]) => value ?? '');
  const [host, ...otherHosts] = valuesOf('host');
  if (host === undefined || otherHosts.length > 0) return fault('not exactly one Host');
  const isUpgrade = valuesOf('upgrade').length > 0;
  const hop = fields.find(([name]) => HOP_BY_HOP.has(name?.toLowerCase() ?? ''));
  if (hop !== undefined && !isUpgrade) return fault(`the hop-by-hop header ${hop[0]}`);
  if (isUpgrade) return { isComplete: true, isUpgrade, host };
  const framing = { length: valuesOf('content-length'), coding: valuesOf('transfer-encoding') };
  return { host, ...readBody(bytes.slice(end + 4), framing) };
}

const fault = (text: string): ReadRequest => ({ fault: text, isComplete: true });

function readBody(body: string, { length, coding }: { length: string[]; coding: string[] }): ReadRequest {
  if (length.length + coding.length > 1) return fault('more than one header that says where the body ends');
  if (coding.length === 1) return coding[0] === 'chunked' ? readChunks(body) : fault(`the coding ${coding[0]}`);
  const [digits = '0'] = length;
  if (!/^\d+$/.test(digits)) return fault(`the length ${digits}`);
  if (body.length > Number(digits)) return fault(`bytes after the body: ${JSON.stringify(body.slice(Number(digits)))}`);
  return { isComplete: body.length === Number(digits) };
}

function readChunks(body: string): ReadRequest {
  for (let rest = body; ; ) {
    const size = /^([0-9a-f]+)\r\n/i.exec(rest);
    if (size === null) return rest.length < 16 ? { isComplete: false } : fault('a chunk without a size');
    const [line, digits = ''] = size;
    const bytes = Number.parseInt(digits, 16);
    if (rest.length < line.length + bytes + 2) return { isComplete: false };
    if (rest.slice(line.length + bytes, line.length + bytes + 2) !== '\r\n') return fault('a chunk of another size');
    rest = rest.slice(line.length + bytes + 2);
    if (bytes === 0) return rest === '' ? { isComplete: true } : fault(`bytes after the body: ${JSON.stringify(rest)}`);
  }
}
