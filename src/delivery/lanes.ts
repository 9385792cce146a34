/** A worker knows of each lane its running attempts, the claimed deliveries that wait for a slot, and how quick it is. */
import type { ClaimedDelivery, DeliveryLane, LaneClaim } from '../store/deliveries/deliveryQueue.ts';
import { type DeliveryLimits, type LaneUse, shareSlots } from './fairClaims.ts';

/** A lane claims ahead what it ended in this time, so that a quick receiver never waits for PostgreSQL. */
const AHEAD_MS = 200;
const MAX_AHEAD_OF_LANE = 256;
/** In all lanes together. */
const MAX_AHEAD = 1_024;
const MAX_AHEAD_CHARACTERS = 8 * 1024 * 1024;
/** A claimed delivery that waits longer goes back, because its receiver has become slow. */
const MAX_WAIT_MS = 1_000;

interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly since: number;
}

export class Lane implements DeliveryLane, LaneUse {
  readonly organizationId: string;
  readonly receiver: string;
  running = 0;
  waiting: Waiting[] = [];
  /** The table has, or may have, more that is due. */
  isDue = false;
  servedAt = 0;
  #window = 0;
  #ended = 0;
  #endedBefore = 0;

  constructor({ organizationId, receiver }: DeliveryLane) {
    this.organizationId = organizationId;
    this.receiver = receiver;
  }

  get available(): number {
    return this.isDue ? Infinity : this.waiting.length;
  }

  countEnd(now: number): void {
    this.#roll(now);
    this.#ended += 1;
  }

  /** How many claimed deliveries may wait. */
  ahead(now: number): number {
    this.#roll(now);
    return Math.min(MAX_AHEAD_OF_LANE, Math.max(this.#ended, this.#endedBefore));
  }

  #roll(now: number): void {
    const window = Math.floor(now / AHEAD_MS);
    if (window === this.#window) return;
    this.#endedBefore = window === this.#window + 1 ? this.#ended : 0;
    this.#ended = 0;
    this.#window = window;
  }
}

export class Lanes {
  readonly #limits: DeliveryLimits;
  readonly #lanes = new Map<string, Lane>();
  #turn = 0;
  #waiting = 0;
  #characters = 0;

  constructor(limits: DeliveryLimits) {
    this.#limits = limits;
  }

  /** Replaces what is known of the table. */
  setDue(due: readonly DeliveryLane[]): void {
    for (const [key, lane] of this.#lanes) {
      lane.isDue = false;
      if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(key);
    }
    for (const one of due) this.#laneOf(one).isDue = true;
  }

  /** @returns the claims to make: for free slots, and ahead for lanes that have used up half of what they had ahead. */
  wanted(now: number): LaneClaim[] {
    const shares = shareSlots(this.#lanes.values(), this.#limits);
    const claims: LaneClaim[] = [];
    let isUrgent = false;
    let room = this.#characters < MAX_AHEAD_CHARACTERS ? MAX_AHEAD - this.#waiting : 0;
    for (const lane of this.#lanes.values()) {
      if (!lane.isDue) continue;
      const { organizationId, receiver, waiting } = lane;
      const slots = Math.max(0, (shares.get(lane) ?? 0) - waiting.length);
      const ahead = Math.max(0, Math.min(room, lane.ahead(now) - waiting.length));
      if (slots + ahead === 0) continue;
      isUrgent ||= slots > 0 || ahead > waiting.length;
      room -= ahead;
      claims.push({ organizationId, receiver, take: slots + ahead });
    }
    return isUrgent ? claims : [];
  }

  /** Adds what was claimed. A lane that had less than was asked for is empty. */
  add(asked: readonly LaneClaim[], claimed: readonly ClaimedDelivery[], now: number): void {
    const counts = new Map<Lane, number>();
    for (const delivery of claimed) {
      const lane = this.#laneOf({ organizationId: delivery.organization_id, receiver: delivery.receiver });
      counts.set(lane, (counts.get(lane) ?? 0) + 1);
      lane.waiting.push({ delivery, since: now });
      this.#count(delivery, 1);
    }
    for (const claim of asked) {
      const lane = this.#laneOf(claim);
      if ((counts.get(lane) ?? 0) < claim.take) lane.isDue = false;
    }
  }

  /** Takes the deliveries whose attempts begin now. */
  begin(): { readonly lane: Lane; readonly delivery: ClaimedDelivery }[] {
    if (this.#waiting === 0) return [];
    const begun: { readonly lane: Lane; readonly delivery: ClaimedDelivery }[] = [];
    for (const [lane, share] of shareSlots(this.#lanes.values(), this.#limits)) {
      for (const { delivery } of lane.waiting.splice(0, share)) {
        this.#count(delivery, -1);
        lane.running += 1;
        lane.servedAt = ++this.#turn;
        begun.push({ lane, delivery });
      }
    }
    return begun;
  }

  end(lane: Lane, now: number): void {
    lane.running -= 1;
    lane.countEnd(now);
  }

  /** Takes the deliveries that have waited too long; all without `now`. */
  giveBack(now = Infinity): ClaimedDelivery[] {
    const late: ClaimedDelivery[] = [];
    for (const lane of this.#lanes.values()) {
      for (const { delivery, since } of lane.waiting) if (now - since > MAX_WAIT_MS) late.push(delivery);
      lane.waiting = lane.waiting.filter(({ since }) => now - since <= MAX_WAIT_MS);
    }
    for (const delivery of late) this.#count(delivery, -1);
    return late;
  }

  #laneOf(one: DeliveryLane): Lane {
    const key = `${one.organizationId} ${one.receiver}`;
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = new Lane(one);
    this.#lanes.set(key, lane);
    return lane;
  }

  #count({ body }: ClaimedDelivery, by: 1 | -1): void {
    this.#waiting += by;
    this.#characters += by * (body?.length ?? 0);
  }
}
