/** The costs of requests in tokens of their keys. docs/limits.md explains them to integrators. */

export const COST = {
  usual: 1,
  list: 2,
  /** The service then sends a request of its own. */
  outgoing: 5,
  /** Builds a document, or works on many objects. */
  heavy: 10,
} as const;

const PICTURES_OF_ONE = 10;
const FRAMED = 5;

/** A framed picture is drawn when it is first requested. */
export const costOfPicture = (isFramed: boolean): number => (isFramed ? FRAMED : COST.usual);

/** @returns the additional cost of a request for this many pictures. */
export const costOfPictures = (pictures: number): number => Math.floor(pictures / PICTURES_OF_ONE);
