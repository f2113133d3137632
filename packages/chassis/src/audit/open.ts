import { systemClock } from "@disburse/kernel/time.ts";
import type { ServiceKey } from "../identity/keys.ts";
import type { Log } from "../log.ts";
import { type Loop, startLoop } from "../loop.ts";
import type { Metrics } from "../metrics.ts";
import type { Database } from "../mongo/database.ts";
import { openOperationBindings } from "../mutations/bindings.ts";
import type { AuditSettings } from "../settings.ts";
import { type HeadSource, startShipping } from "./shipping.ts";
import { openAuditSink } from "./sink.ts";

/** How soon the entry of a call whose process ended is looked for, after its time is over. */
const sweepEveryMs = 15_000;

/** What the audit trail of a service's process stands on. */
export type AuditDeps = {
  readonly service: string;
  readonly settings: AuditSettings;
  readonly key: () => ServiceKey;
  readonly database: Database;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Chains beside the trail: the ledger's. */
  readonly sources: readonly HeadSource[];
};

/**
 * Starts what keeps the evidence of a service: the sweep that writes entries which a crash left
 * owed, and, where there is a sink, what ships signed heads to it.
 */
export function startAudit(deps: AuditDeps): Pick<Loop, "stop"> {
  const { service, settings, key, database, log, metrics, sources } = deps;
  const { AUDIT_SINK: sinkUrl, AUDIT_HEADS_SECONDS: everySeconds } = settings;
  const { sweepOwed } = openOperationBindings(database);
  const run = () => sweepOwed(systemClock.now());
  const loops: Pick<Loop, "stop">[] = [
    startLoop({ name: "audit-owed", everyMs: sweepEveryMs, run, log }),
  ];
  if (sinkUrl !== undefined) {
    const options = { database, service, key, sources, log, metrics, clock: systemClock };
    const everyMs = everySeconds * 1_000;
    const trustDomain = settings.TRUST_DOMAIN;
    const sink = openAuditSink(sinkUrl);
    loops.push(startShipping({ ...options, trustDomain, sink, everyMs }));
  }
  return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) };
}
