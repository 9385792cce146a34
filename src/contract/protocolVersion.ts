/** The version of the capture protocol, in the path of each call. It stands alone so that programs that only need it load no schemas. */
export const PROTOCOL_VERSION = 'v2';
