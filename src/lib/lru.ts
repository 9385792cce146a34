/** Sets an entry as the latest one of a map, which forgets its oldest where that makes more than `most`. */
export function setBounded<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], most: number): void {
  // Again at the end, so that the first is the oldest.
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
