/** The costs of requests in tokens of their keys. docs/limits.md explains them to integrators. */

const COST = { usual: 1, list: 2, outgoing: 5, heavy: 10 };
/** Last parts of paths whose GET returns a list. */
const LISTS = new Set([
  ...['ads', 'campaigns', 'screenshot_sets', 'screenshots', 'deliveries', 'events', 'uploads', 'templates'],
  ...['exports', 'shares', 'keys', 'webhook_endpoints', 'connectors', 'audit_log'],
]);
/** The service then sends a request of its own. */
const OUTGOING = new Set(['test', 'webhook_tests', 'check']);
/** Builds a document, or works on many objects. */
const HEAVY = /\/(exports?|usage|events\/replay|screenshot_sets\/:id\/(retake|duplicate))$/;
const PICTURES_OF_ONE = 10;
const FRAMED = 5;

/** @param route the pattern of the path, for example `/api/v1/orgs/:slug/ads`. */
export function costOf(method: string, route: string): number {
  const last = route.slice(route.lastIndexOf('/') + 1);
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && LISTS.has(last)) return COST.list;
  if (!isRead && OUTGOING.has(last)) return COST.outgoing;
  return HEAVY.test(route) ? COST.heavy : COST.usual;
}

/** A framed picture is drawn when it is first asked for. */
export const costOfPicture = (isFramed: boolean): number => (isFramed ? FRAMED : COST.usual);

/** @returns the additional cost of a request for so many pictures. */
export const costOfPictures = (pictures: number): number => Math.floor(pictures / PICTURES_OF_ONE);
