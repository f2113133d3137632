import { randomUUID } from "node:crypto";

/**
 * Where a process is, for those beside it: who starts at a place is the successor of who was there.
 * A port that the system chooses is known too late and means nothing after a restart, so such a
 * process has a place that nobody else ever has.
 */
export function processPlace(host: string, port: number): string {
  return `${host}:${port === 0 ? randomUUID() : port}`;
}
