/** Addresses that a request of the corpus names. */
export interface CorpusTargets {
  /** `127.0.0.1:<port>`, which the proxy allows. */
  readonly open: string;
  /** The port of `open`. */
  readonly port: number;
  /** `127.0.0.2:<port>`, which the proxy must never connect to. */
  readonly shut: string;
}

export interface CorpusCase {
  readonly name: string;
  /** The bytes as latin1. A list is sent in parts, the next one when the server has answered. */
  readonly bytes: (targets: CorpusTargets) => string | readonly string[];
  /** Whether the client closes its sending side after the bytes. */
  readonly halfClose?: boolean;
}

export const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: inner\r\n\r\n';
/** The length of `SMUGGLED` in hexadecimal digits. */
export const SIZE = SMUGGLED.length.toString(16);
export const CHUNKS = `${SIZE}\r\n${SMUGGLED}\r\n0\r\n\r\n`;

/** A case whose request to `open` has these header lines, each with its end, and then a body. */
export function withHeaders(name: string, lines: string, body = '', method = 'POST'): CorpusCase {
  return {
    name,
    bytes: ({ open }) => `${method} http://${open}/a HTTP/1.1\r\nHost: ${open}\r\n${lines}\r\n${body}`,
  };
}

/** A case that has this first line, without its end. */
export function withFirstLine(name: string, line: (targets: CorpusTargets) => string): CorpusCase {
  return { name, bytes: (targets) => `${line(targets)}\r\nHost: ${targets.open}\r\nConnection: close\r\n\r\n` };
}
