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
 * The loss that merchants may notice. After a `planned` loss, or a loss of only the broker, new
 * requests continue at once. After an `unplanned` loss they wait for an election.
 */
export type Loss = "planned" | "unplanned";

/** A fault under load. Afterwards all processes must run again. */
export type EngineFault = {
  readonly name: string;
  readonly about: string;
  readonly loss: Loss;
  readonly run: (context: EngineContext) => Promise<FaultOutcome>;
};

export type FaultOutcome = {
  /** The time for which the fault itself causes errors or leaves no majority. Bounds include it. */
  readonly awayMs?: number;
  /** Reasons why the fault didn't occur as described, or that its own check failed. */
  readonly problems?: readonly string[];
};
