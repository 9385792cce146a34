import { testDevices } from './devicesMatrix.ts';

testDevices('test');
