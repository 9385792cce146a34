import { testReplacedGlobals } from './replacedGlobalsMatrix.ts';

testReplacedGlobals('long');
