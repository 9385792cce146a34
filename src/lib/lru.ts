/** Sets an entry of a map as its newest, and deletes the oldest entries above `max`. */
export function setBounded<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], max: number): void {
  // Inserted again at the end, so that the first entry is the oldest.
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
