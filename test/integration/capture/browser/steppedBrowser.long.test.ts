import { describe } from 'vitest';
import { SHORT_MOMENTS, testKillsWhileOpening } from './killsWhileOpening.ts';

describe.runIf(process.platform === 'linux')('a stepped browser', () => {
  const moments = Array.from({ length: 20 }, (_, index) => index * 5);
  testKillsWhileOpening(moments.filter((ms) => !SHORT_MOMENTS.includes(ms)));
});
