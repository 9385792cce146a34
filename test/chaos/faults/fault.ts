/** The types of a fault. */
import type { Ledger } from '../ledger.ts';
import type { Random } from '../random.ts';
import type { Installation } from '../service/installation.ts';

export interface FaultContext<I = Installation> {
  readonly installation: I;
  readonly random: Random;
  readonly ledger: Ledger;
}

export interface FaultKind<I = Installation> {
  /** As the report names it. */
  readonly name: string;
  /** A kill ends a process or a session at once. A disturbance hinders the service for some seconds. */
  readonly kind: 'kill' | 'disturbance';
  /** How often it is chosen, in relation to the others of its kind. */
  readonly weight: number;
  /** @returns the name of the victim; undefined if there is nothing to hit at this moment. */
  strike(context: FaultContext<I>): Promise<string | undefined>;
}

/** All faults for one kind of installation. */
export interface Faults<I = Installation> {
  readonly kills: readonly FaultKind<I>[];
  readonly disturbances: readonly FaultKind<I>[];
  /** Kills come in waves, because work that is always killed soon after its start never ends. In milliseconds. */
  readonly waves: { readonly kills: number; readonly calm: number };
}
