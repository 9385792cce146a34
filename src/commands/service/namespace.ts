import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '../../config.ts';

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** @returns the namespace of captures. @throws ConfigError */
export function namespaceOf({ NAMESPACE }: Config): string {
  if (NAMESPACE !== undefined) return NAMESPACE;
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim();
  } catch {
    throw new ConfigError(`NAMESPACE is not set, and ${NAMESPACE_FILE}, which names it in a pod, cannot be read.`);
  }
}
