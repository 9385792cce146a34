import { testDevices } from './devicesMatrix.ts';

testDevices('long');
