/** The keys of pictures that captures upload. */

/** @returns the key with the SHA-256 of the picture, so that no upload can replace a picture that was reported. */
export function withContent(key: string, sha256: string): string {
  return key.replace(/\.png$/, `-${sha256}.png`);
}
