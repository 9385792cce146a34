import { failOnLoggedErrors } from './testLog.ts';

failOnLoggedErrors();
