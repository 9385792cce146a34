import { testReplacedGlobals } from './replacedGlobalsMatrix.ts';

testReplacedGlobals('test');
