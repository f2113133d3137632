import type { Clock } from "@disburse/kernel/time.ts";
import type { Collection } from "mongodb";
import type { ServiceKey } from "../identity/keys.ts";
import type { Log } from "../log.ts";
import { type Loop, startLoop } from "../loop.ts";
import type { Metrics } from "../metrics.ts";
import type { Database } from "../mongo/database.ts";
import { insertOrFind } from "../mongo/once.ts";
import { createSweepLease } from "../mongo/sweep-lease.ts";
import { type ChainHead, signedLine, statementHash, statementText } from "./heads.ts";
import type { AuditSink } from "./sink.ts";
import { openAuditStore } from "./store.ts";

/** Further hash chains of a service, in addition to its audit trail. */
export type HeadSource = {
  /** The label of these chains in metrics: `ledger`. */
  readonly name: string;
  /** Returns at most `limit` heads that have changed since they were shipped. */
  readonly changed: (limit: number) => Promise<readonly ChainHead[]>;
  /** Marks heads as shipped, unless they have changed meanwhile. */
  readonly shipped: (heads: readonly ChainHead[]) => Promise<void>;
  /** Returns the number of unshipped heads, up to a maximum. */
  readonly unshipped: () => Promise<number>;
};

/** The shipping state of a service: one document. */
type ShippingDocument = {
  _id: "heads";
  schema_version: number;
  /** The number of the last statement in the sink. */
  number: number;
  previous: string;
  /** The sequence of the last shipped head of the audit trail. */
  audit_sequence: number;
  /** A statement that was created but may or may not be in the sink yet. */
  pending?: { number: number; hash: string; line: string; audit_sequence: number; at: Date };
  shipped_at: Date;
};

export type ShippingDeps = {
  readonly database: Database;
  readonly service: string;
  readonly trustDomain: string;
  readonly key: () => ServiceKey;
  readonly sink: Pick<AuditSink, "append">;
  readonly sources: readonly HeadSource[];
  readonly clock: Clock;
};

/**
 * The maximum number of heads in one statement. Each needs about 150 bytes, so a line stays under
 * 200 kB.
 */
const headsMax = 1_000;

/** Ships changed heads in numbered, chained statements. */
export function createShipping(deps: ShippingDeps) {
  const { database, sink, sources, clock } = deps;
  const state = database.db.collection<ShippingDocument>("audit_shipping");
  const audit = openAuditStore<string>(database);
  const read = () => readState(state, clock);

  /**
   * Delivers the pending statement first, because the process may have crashed after writing to the
   * sink and before recording it.
   */
  const deliver = async (pending: Pending) => {
    const { number, hash, line, audit_sequence, at } = pending;
    await sink.append(line, { service: deps.service, number, at });
    const shipped = { number, previous: hash, audit_sequence, shipped_at: clock.now() };
    await state.updateOne(
      { _id: "heads", "pending.hash": hash },
      { $set: shipped, $unset: { pending: "" } },
    );
  };

  return {
    /** Ships one statement if there are changes. Returns true if there are more. */
    ship: async (): Promise<boolean> => {
      const current = await read();
      if (current.pending !== undefined) {
        await deliver(current.pending);
        return true;
      }
      const { number, previous, audit_sequence } = current;
      const newest = await audit.head();
      const { sequence, hash: head } = newest ?? { sequence: 0, hash: "" };
      // A shorter trail is shipped too, because it is evidence that entries were removed.
      const isMoved = sequence !== audit_sequence;
      const trail = isMoved ? [{ chain: "audit", sequence, hash: head }] : [];
      const found = await Promise.all(sources.map((source) => source.changed(headsMax)));
      const heads = [...trail, ...found.flat()];
      if (heads.length === 0) return false;
      const at = clock.now();
      const next = number + 1;
      const { service, trustDomain } = deps;
      const text = statementText({ service, trustDomain, number: next, previous, at, heads });
      const line = signedLine(text, deps.key());
      const hash = statementHash(text);
      const pending = { number: next, hash, line, audit_sequence: sequence, at };
      const stored = await state.updateOne(
        { _id: "heads", number, pending: { $exists: false } },
        { $set: { pending } },
      );
      // Another process has created a statement meanwhile.
      if (stored.modifiedCount === 0) return true;
      await deliver(pending);
      for (const [index, source] of sources.entries()) await source.shipped(found[index] ?? []);
      return found.some(({ length }) => length === headsMax);
    },
    /**
     * Returns the number of unshipped heads, and the time since which the sink has received
     * nothing.
     */
    figures: async () => {
      const { audit_sequence, shipped_at } = await read();
      const newest = await audit.head();
      const counts = await Promise.all(sources.map(({ unshipped }) => unshipped()));
      return {
        ageSeconds: Math.max(0, clock.now().getTime() - shipped_at.getTime()) / 1_000,
        unshipped: [
          ["audit", Math.abs((newest?.sequence ?? 0) - audit_sequence)] as const,
          ...sources.map(({ name }, index) => [name, counts[index] ?? 0] as const),
        ],
      };
    },
  };
}

type Pending = NonNullable<ShippingDocument["pending"]>;

async function readState(
  state: Collection<ShippingDocument>,
  clock: Clock,
): Promise<ShippingDocument> {
  const found = await state.findOne({ _id: "heads" });
  if (found !== null) return found;
  const fresh = { _id: "heads" as const, schema_version: 1, number: 0, previous: "" };
  const document = { ...fresh, audit_sequence: 0, shipped_at: clock.now() };
  return insertOrFind(state, document, { _id: "heads" });
}

/** The lease's lifetime. After it expires, another process can take over the shipping. */
const leaseMs = 15_000;

/** Ships at intervals in the process that has the lease. Reports the progress in metrics. */
export function startShipping(
  deps: ShippingDeps & { readonly log: Log; readonly metrics: Metrics; readonly everyMs: number },
): Pick<Loop, "stop"> {
  const { database, log, metrics, everyMs } = deps;
  const shipping = createShipping(deps);
  const lease = createSweepLease(database, "audit-heads", Math.max(leaseMs, 2 * everyMs));
  const age = metrics.gauge(
    "disburse_audit_head_age_seconds",
    "Seconds since heads of the audit trail and the ledger were last shipped to the audit sink.",
  );
  const unshipped = metrics.gauge(
    "disburse_audit_unshipped",
    "Audit entries and accounts whose heads are not shipped to the audit sink yet.",
    ["chain"],
  );
  const show = async () => {
    const figures = await shipping.figures();
    age.set(figures.ageSeconds);
    for (const [chain, count] of figures.unshipped) unshipped.set({ chain }, count);
  };
  const run = async () => {
    try {
      return (await lease.hold()) !== undefined && (await shipping.ship());
    } finally {
      // The metrics are updated even if shipping failed, because they matter most then.
      await show();
    }
  };
  const loop = startLoop({ name: "audit-heads", everyMs, run, log });
  return {
    stop: async () => {
      await loop.stop();
      await lease.release();
    },
  };
}
