import type { FaultPlatform } from "@disburse/faults/platform.ts";
import type { BrokerCluster } from "./broker-cluster/broker-cluster.ts";
import type { EngineLoad } from "./load/load.ts";
import type { ReplicaSet } from "./replica-set/replica-set.ts";

export type EngineContext = {
  readonly set: ReplicaSet;
  readonly cluster: BrokerCluster;
  readonly platform: FaultPlatform;
  readonly load: EngineLoad;
};

/**
 * The loss that merchants may notice. After a `planned` one, and where the broker alone is lost, new
 * requests go on at once. After an `unplanned` one they wait for an election. After a `silent` one
 * services still reach the lost member, which takes itself for the primary.
 */
export type Loss = "planned" | "unplanned" | "silent";

/** A fault under load. Afterwards all processes must run again. */
export type EngineFault = {
  readonly name: string;
  readonly about: string;
  readonly loss: Loss;
  readonly run: (context: EngineContext) => Promise<FaultOutcome>;
};

export type FaultOutcome = {
  /** How long the fault itself left no majority, or errors. The bound is counted from its end. */
  readonly awayMs?: number;
  /** Reasons that the fault didn't occur as described, or that its own check failed. */
  readonly problems?: readonly string[];
};
