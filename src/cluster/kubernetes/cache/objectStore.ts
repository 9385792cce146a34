/**
 * What is known of one kind of object, by name. It never goes back: an event that is older than what is known, comes twice or tells of an
 * object that is gone changes nothing. An object of the same name and another uid is another object.
 */
export interface Stored {
  readonly name: string;
  readonly uid: string;
  /** resourceVersion */
  readonly version: string;
}

/** Without `is` it is gone, without `was` it is new. */
export interface Change<T> {
  readonly was?: T;
  readonly is?: T;
}

export interface ObjectStoreOptions<T> {
  readonly changed: (change: Change<T>) => void;
  /** Objects of one group can be looked up together. */
  readonly groupOf?: (object: T) => string;
}

export class ObjectStore<T extends Stored> {
  readonly #changed: (change: Change<T>) => void;
  readonly #groupOf: (object: T) => string;
  readonly #objects = new Map<string, T>();
  readonly #groups = new Map<string, Map<string, T>>();
  /** Uids that we know to be gone before the watch has told so. */
  readonly #gone = new Set<string>();
  /** As far as list and watch have told. */
  #version = '0';

  constructor({ changed, groupOf = () => '' }: ObjectStoreOptions<T>) {
    this.#changed = changed;
    this.#groupOf = groupOf;
  }

  get(name: string): T | undefined {
    return this.#objects.get(name);
  }

  all(): T[] {
    return [...this.#objects.values()];
  }

  group(key: string): T[] {
    return [...(this.#groups.get(key)?.values() ?? [])];
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Everything there was at this version. */
  replace(objects: readonly T[], version: string): void {
    this.#version = version;
    const listed = new Map(objects.map((object) => [object.uid, object]));
    for (const uid of this.#gone) if (!listed.has(uid)) this.#gone.delete(uid);
    for (const known of this.all()) {
      // What we wrote after the list was made is not in it.
      if (!listed.has(known.uid) && !isNewer(known.version, version)) this.#remove(known);
    }
    for (const object of objects) this.#put(object);
  }

  /** An event of the watch. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    if (!isNewer(object.version, this.#version)) return;
    this.#version = object.version;
    const known = this.#objects.get(object.name);
    if (type !== 'DELETED') {
      this.#put(object);
    } else {
      this.#gone.delete(object.uid);
      if (known?.uid === object.uid) this.#remove(known);
    }
  }

  /** Nothing has changed up to this version. */
  advance(version: string): void {
    if (isNewer(version, this.#version)) this.#version = version;
  }

  /** What a write of ours was answered with. The watch tells the same later, or has told it already. */
  assume(object: T): void {
    if (isNewer(object.version, this.#version)) this.#put(object);
  }

  /** A write of ours has found it gone, or has removed it. */
  forget({ name, uid }: Pick<T, 'name' | 'uid'>): void {
    const known = this.#objects.get(name);
    if (known?.uid !== uid) return;
    this.#gone.add(uid);
    this.#remove(known);
  }

  #put(object: T): void {
    if (this.#gone.has(object.uid)) return;
    const known = this.#objects.get(object.name);
    if (known?.uid === object.uid && !isNewer(object.version, known.version)) return;
    if (known !== undefined && known.uid !== object.uid) this.#remove(known);
    const was = this.#objects.get(object.name);
    if (was !== undefined) this.#leave(was);
    this.#objects.set(object.name, object);
    this.#join(object);
    this.#changed(was === undefined ? { is: object } : { was, is: object });
  }

  #remove(object: T): void {
    this.#objects.delete(object.name);
    this.#leave(object);
    this.#changed({ was: object });
  }

  #join(object: T): void {
    const key = this.#groupOf(object);
    const group = this.#groups.get(key) ?? new Map<string, T>();
    this.#groups.set(key, group.set(object.name, object));
  }

  #leave(object: T): void {
    const key = this.#groupOf(object);
    const group = this.#groups.get(key);
    group?.delete(object.name);
    if (group?.size === 0) this.#groups.delete(key);
  }
}

/** Versions of one cluster can be compared as numbers; what is no number is taken for news. */
function isNewer(a: string, b: string): boolean {
  if (!isNumber(a) || !isNumber(b)) return a !== b;
  return a.length === b.length ? a > b : a.length > b.length;
}

function isNumber(version: string): boolean {
  return /^(0|[1-9]\d*)$/.test(version);
}
