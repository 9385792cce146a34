import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.svg': 'image/svg+xml',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.json': 'application/json',
  '.html': 'text/html; charset=utf-8',
  '.zip': 'application/zip',
  '.pdf': 'application/pdf',
};

/** What the name of a file says of its content. */
export function contentTypeOf(key: string): string {
  return TYPES[extname(key).toLowerCase()] ?? 'application/octet-stream';
}
