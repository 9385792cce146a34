/** Messages that a page shows once above its content. The address names the message, so that no page shows a text of a stranger. */
import type { Request } from 'express';

const NOTICES = {
  not_sent: 'Your session had ended, so the last form changed nothing. You are signed in now: send it again.',
  saved: 'Saved.',
  deleted: 'Deleted. Its files go within a minute.',
  key_revoked: 'The key was revoked. It opens nothing any more.',
  connector_removed: 'The connector was removed. Deliveries that use it fail until there is a new one of this name.',
} as const;
export type Notice = keyof typeof NOTICES;

/** @returns the text of the message that the address names. */
export function noticeOf(request: Pick<Request, 'query'>): string | undefined {
  const name = request.query['notice'];
  return isNotice(name) ? NOTICES[name] : undefined;
}

function isNotice(name: unknown): name is Notice {
  return typeof name === 'string' && Object.hasOwn(NOTICES, name);
}

/** @returns the address of a page that shows the message. */
export function withNotice(path: string, notice: Notice): string {
  return `${path}${path.includes('?') ? '&' : '?'}notice=${notice}`;
}
