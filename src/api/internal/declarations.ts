/** How many different contents one picture of one attempt may have: each is an object that stays in the bucket, whether it is reported or not. */
import { remember } from '../../domain/remember.ts';
import { ResultFaultError } from '../../store/creativeResults.ts';

/** A creative that was lost and claimed again may come out otherwise. */
const MOST_CONTENTS = 4;
/** Pictures that are remembered; the oldest are forgotten. A set has ten thousand at most. */
const MOST_PICTURES = 20_000;

export interface Declarations {
  /** @throws ResultFaultError */
  note(picture: string, sha256: string): void;
}

export function createDeclarations(mostPictures = MOST_PICTURES): Declarations {
  const contents = new Map<string, Set<string>>();
  return {
    note(picture, sha256) {
      const known = contents.get(picture) ?? new Set();
      if (!known.has(sha256) && known.size >= MOST_CONTENTS)
        throw new ResultFaultError(`${picture} was declared with ${MOST_CONTENTS} other contents already.`);
      remember(contents, [picture, known.add(sha256)], mostPictures);
    },
  };
}
