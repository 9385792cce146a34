/**
 * The latest known version of all objects of one kind, by name.
 *
 * The cache never returns to an older version. It ignores an event that is older than the object it has, that comes twice,
 * or that is about a deleted object. Two objects with the same name and different uids are different objects: the first one
 * is reported as deleted.
 */
export interface CachedObject {
  readonly name: string;
  readonly uid: string;
  /** The resourceVersion. */
  readonly version: string;
}

/** A new object has no `before`, a deleted one has no `after`. */
export interface ObjectChange<T> {
  readonly before?: T;
  readonly after?: T;
}

export interface ObjectCacheOptions<T> {
  readonly changed: (change: ObjectChange<T>) => void;
}

export class ObjectCache<T extends CachedObject> {
  readonly #changed: (change: ObjectChange<T>) => void;
  readonly #objects = new Map<string, T>();
  /** Uids that a write of ours has deleted, until the watch reports it too. */
  readonly #deleted = new Set<string>();
  /** The version up to which the list and the watch have reported. */
  #version = '0';

  constructor({ changed }: ObjectCacheOptions<T>) {
    this.#changed = changed;
  }

  get(name: string): T | undefined {
    return this.#objects.get(name);
  }

  all(): T[] {
    return [...this.#objects.values()];
  }

  get size(): number {
    return this.#objects.size;
  }

  /** @param objects the whole list at this version. */
  replace(objects: readonly T[], version: string): void {
    this.#version = version;
    const listed = new Map(objects.map((object) => [object.uid, object]));
    for (const uid of this.#deleted) if (!listed.has(uid)) this.#deleted.delete(uid);
    for (const known of this.all()) {
      // An object that we wrote after the list was made is not in the list.
      if (!listed.has(known.uid) && !isNewer(known.version, version)) this.#remove(known);
    }
    for (const object of objects) this.#put(object);
  }

  /** Applies an event of the watch. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    if (!isNewer(object.version, this.#version)) return;
    this.#version = object.version;
    const known = this.#objects.get(object.name);
    if (type !== 'DELETED') {
      this.#put(object);
    } else {
      this.#deleted.delete(object.uid);
      if (known?.uid === object.uid) this.#remove(known);
    }
  }

  /** Applies a bookmark: the watch has reported everything up to this version. */
  advance(version: string): void {
    if (isNewer(version, this.#version)) this.#version = version;
  }

  /** Adds the answer to a write of ours at once. The watch reports the same object later, or has reported it already. */
  addWritten(object: T): void {
    if (isNewer(object.version, this.#version)) this.#put(object);
  }

  /** Removes an object that a write of ours deleted or did not find. */
  markDeleted({ name, uid }: Pick<T, 'name' | 'uid'>): void {
    const known = this.#objects.get(name);
    if (known?.uid !== uid) return;
    this.#deleted.add(uid);
    this.#remove(known);
  }

  #put(object: T): void {
    if (this.#deleted.has(object.uid)) return;
    const known = this.#objects.get(object.name);
    if (known?.uid === object.uid && !isNewer(object.version, known.version)) return;
    if (known !== undefined && known.uid !== object.uid) this.#remove(known);
    const before = this.#objects.get(object.name);
    this.#objects.set(object.name, object);
    this.#changed(before === undefined ? { after: object } : { before, after: object });
  }

  #remove(object: T): void {
    this.#objects.delete(object.name);
    this.#changed({ before: object });
  }
}

/** Versions of one cluster compare as numbers of any length. A version that is not a number counts as newer if it is different. */
function isNewer(a: string, b: string): boolean {
  if (!isNumber(a) || !isNumber(b)) return a !== b;
  return a.length === b.length ? a > b : a.length > b.length;
}

function isNumber(version: string): boolean {
  return /^(0|[1-9]\d*)$/.test(version);
}
