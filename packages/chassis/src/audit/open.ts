import { fileURLToPath } from "node:url";
import { systemClock } from "@disburse/kernel/time.ts";
import type { ServiceKey } from "../identity/keys.ts";
import type { Log } from "../log.ts";
import { type Loop, startLoop } from "../loop.ts";
import type { Metrics } from "../metrics.ts";
import type { Database } from "../mongo/database.ts";
import { SettingsError } from "../settings.ts";
import { type AuditSettings, assertEvidence, type EvidenceSettings } from "./settings.ts";
import { type HeadSource, startShipping } from "./shipping.ts";
import { type AuditSink, fileSink } from "./sink.ts";

/** The pause between two sweeps for audit entries of calls whose process died. */
const sweepEveryMs = 15_000;

export type AuditDeps = {
  readonly service: string;
  readonly settings: AuditSettings;
  /** If absent, no heads are shipped. */
  readonly sink: AuditSink | undefined;
  readonly key: () => ServiceKey;
  /** Writes pending entries that remain after a crash. Resolves to true if there are more. */
  readonly sweepPending: (now: Date) => Promise<boolean>;
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly sources: readonly HeadSource[];
};

/**
 * Starts the audit work of a service. A sweep writes pending entries after a crash. If there is a
 * sink, signed heads are shipped to it.
 */
export function startAudit(deps: AuditDeps): Pick<Loop, "stop"> {
  const { service, settings, sink, key, sweepPending, database, log, metrics, sources } = deps;
  const run = () => sweepPending(systemClock.now());
  const loops: Pick<Loop, "stop">[] = [
    startLoop({ name: "audit-pending", everyMs: sweepEveryMs, run, log }),
  ];
  if (sink !== undefined) {
    const options = { database, service, key, sources, log, metrics, clock: systemClock };
    const everyMs = settings.AUDIT_HEADS_SECONDS * 1_000;
    const trustDomain = settings.TRUST_DOMAIN;
    loops.push(startShipping({ ...options, trustDomain, sink, everyMs }));
  }
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      sink?.close();
    },
  };
}

export type SinkSettings = EvidenceSettings &
  Pick<AuditSettings, "AUDIT_SINK" | "AUDIT_S3_ENDPOINT" | "AUDIT_RETENTION_DAYS">;

/**
 * Opens the configured sink, if there is one. If a bucket does not reply now, it is checked before
 * the first line is written.
 *
 * @throws {SettingsError} if live mode has no sink, or the bucket has no object lock.
 */
export async function openAuditSink(
  settings: SinkSettings,
  log: Log,
): Promise<AuditSink | undefined> {
  assertEvidence(settings);
  const { AUDIT_SINK: url, AUDIT_S3_ENDPOINT: endpoint, AUDIT_RETENTION_DAYS: days } = settings;
  if (url === undefined) return undefined;
  if (url.startsWith("file:")) return fileSink(fileURLToPath(url));
  // The SDK is loaded only here, because it needs some megabytes and a file sink does not use it.
  const { s3Client, s3Sink, statusOf } = await import("./s3-sink.ts");
  const sink = s3Sink(url, days, s3Client(endpoint));
  const problem = await sink.isLocked().then(
    (isLocked) => (isLocked ? undefined : "the bucket has no object lock"),
    (error: unknown) => {
      const { name } = error as Error;
      const status = statusOf(error);
      const isAnswer = status !== undefined && status < 500;
      if (isAnswer) return `the bucket's object lock cannot be read (${name})`;
      log.warn(
        { reason: name },
        "the audit sink's bucket does not respond, so its object lock could not be checked",
      );
      return undefined;
    },
  );
  if (problem === undefined) return sink;
  sink.close();
  throw new SettingsError(`settings: AUDIT_SINK: ${problem}`);
}
