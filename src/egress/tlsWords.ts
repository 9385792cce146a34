/** By the codes of Node and OpenSSL. */
const WORDS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS on this port',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself alone',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not signed by a known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is not signed by a known authority, or it does not send the whole chain',
};

/** Why TLS failed, for people: OpenSSL's own messages name its source files. */
export function tlsWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = 'code' in error && typeof error.code === 'string' ? WORDS[error.code] : undefined;
  if (known !== undefined) return known;
  if ('reason' in error && typeof error.reason === 'string' && error.reason !== '') return error.reason;
  return error.message.split('\n')[0]?.trim() ?? '';
}
