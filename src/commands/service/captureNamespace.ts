import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '../../config.ts';

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** @returns the namespace of captures. @throws ConfigError */
export function captureNamespace({ NAMESPACE }: Config): string {
  if (NAMESPACE !== undefined) return NAMESPACE;
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim();
  } catch {
    throw new ConfigError(
      `NAMESPACE is not set, and ${NAMESPACE_FILE} cannot be read. Set NAMESPACE outside of a pod.`,
    );
  }
}
