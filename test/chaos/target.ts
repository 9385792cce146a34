/** The installation of a run: how it is loaded, hit and read. */
import type { NewOrganization } from '../../src/store/organizations/organizations.ts';
import type { ServiceState } from './check/state.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { ChaosDatabase } from './service/database.ts';
import type { ChaosS3 } from './service/s3.ts';

export interface FaultRun {
  readonly random: Random;
  readonly ledger: Ledger;
  readonly kills: number;
  readonly minutes: number;
}

export interface ChaosTarget {
  readonly publicUrl: string;
  readonly organization: Pick<NewOrganization, 'api_key' | 'webhook_secret'>;
  readonly database: ChaosDatabase;
  readonly s3: ChaosS3 | undefined;
  /** The bucket of a customer, to which sets are delivered. */
  readonly customerBucket: string;
  /** The address of this machine that the service reaches; loopback unless given. */
  readonly host?: string;
  /** Sets and ads that may be open at the same time. */
  readonly maxOpen: number;
  /** Faults until the time or the number is reached. @returns the number of kills. */
  runFaults(run: FaultRun): Promise<number>;
  /** An API looks for files that it must remove when it starts, and then every ten minutes. */
  restartApis(): Promise<void>;
  /** Stops the service, and reads the state that stays. */
  stopAndRead(): Promise<ServiceState>;
  /** Removes all files. @param everything also the logs. */
  remove(everything: boolean): Promise<void>;
}
