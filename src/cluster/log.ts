/** The part of pino that is used of a cluster; observe's own stands on this level, out of reach. */
export interface ClusterLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
