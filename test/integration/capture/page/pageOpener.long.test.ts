import { SHORT_MOMENTS, testKillsWhileOpening } from './pageKillsMatrix.ts';

const moments = Array.from({ length: 10 }, (_, index) => index * 6);
testKillsWhileOpening(moments.filter((ms) => !SHORT_MOMENTS.includes(ms)));
