import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import type { AuditStore } from "@disburse/chassis/audit/store.ts";
import type { SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Loop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Indexes } from "@disburse/chassis/mongo/migrations.ts";
import type { RailServer } from "@disburse/chassis/service/check.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Rail } from "./rail.ts";

/** The operator RPCs of a rail package. */
export type RailRpc = Partial<ServiceImpl<typeof PayoutOperatorService>>;

/** A package that adds rails to the payout service. docs/contributing/rails.md describes how to write one. */
export type RailPackage = {
  /**
   * The environment variable that configures the package's rails as JSON. It is handled as a
   * secret.
   */
  readonly setting: string;
  /**
   * Reads the setting. `undefined` configures no rail. Live mode may have further requirements.
   * @throws {SettingsError} that names the problem and shows no value.
   */
  readonly configure: (text: string | undefined, mode: Mode) => ConfiguredRails;
  /** Indexes of the package's collections in the payout service's database. */
  readonly indexes: Indexes;
  /**
   * The package's collections with encrypted texts, which must be encrypted again after a key
   * rotation.
   */
  readonly sealed: readonly SealedPlace[];
};

/** Configured rails with valid settings. */
export type ConfiguredRails = {
  readonly names: readonly string[];
  /** The servers that the rails call, for `main.ts check`. A URL may contain a key, so it is cut. */
  readonly servers: readonly RailServer[];
  /**
   * True if the rails store encrypted texts. The payout service then requires an encryption key.
   */
  readonly needsSealer: boolean;
  /** Opens the rails. Rejects if a key or another file that the settings name can't be read. */
  readonly open: (context: RailContext) => Promise<OpenRails>;
};

/** The parts of the payout service that a rail package uses. */
export type RailContext = {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Present if a configured rail package needs it. */
  readonly sealer?: Pick<Sealer, "seal" | "open"> | undefined;
  /** Returns true if operators have paused the rail. The result is at most a second old. */
  readonly isPaused: (rail: string) => Promise<boolean>;
  readonly audit: Pick<AuditStore<string>, "append">;
  /** Guards RPCs that need a second person. Absent in a simulation, which has no persons. */
  readonly approvals?: Pick<ServiceApprovals, "guard"> | undefined;
  /**
   * Tells payouts to query their rail now, also after their end. A concurrent write of a payout may
   * undo the call, so repeat it until `query` is called. Call it only after `start`.
   */
  readonly callForWork: (payoutIds: readonly string[]) => Promise<void>;
};

/** Open rails and their operator RPCs. The RPCs are served even if no rail is configured. */
export type OpenRails = {
  readonly rails: readonly Rail[];
  readonly rpc: RailRpc;
  /** Starts the background work. `stop` waits for the current runs. */
  start(): Pick<Loop, "stop">;
};
