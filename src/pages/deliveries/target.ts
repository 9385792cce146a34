/** Addresses of receivers, as pages show them. */

/** Shorter parts are names. Longer ones with letters and digits are often secrets, as in the addresses of chat services. */
const SECRET_LENGTH = 16;

/** @returns the target without its query and without parts of its path that look like secrets. */
export function shownTarget(target: string): string {
  const url = URL.parse(target);
  if (url === null || url.protocol === 's3:') return target;
  const path = url.pathname.split('/').map(hideSecret).join('/');
  return `${url.protocol}//${url.host}${path}${url.search === '' ? '' : '?…'}`;
}

function hideSecret(part: string): string {
  const isSecret = part.length >= SECRET_LENGTH && /\d/.test(part) && /[a-z]/i.test(part);
  return isSecret ? `${part.slice(0, 4)}…` : part;
}
