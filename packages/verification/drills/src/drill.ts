import type { PayoutOrder } from "@disburse/invariants/documents.ts";
import type { Finding } from "@disburse/invariants/finding.ts";
import { executeRequest } from "@disburse/invariants/orders-to-repeat.ts";
import type { Order } from "@disburse/platform/merchant.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import type { DrillPlatform } from "./platform.ts";

/** The state before a recovery: the merchant's orders and the notes of the drill's steps. */
export type Lost = {
  /** Orders placed after the copy. The platform's record of them may be lost. */
  readonly orders: readonly Order[];
  readonly noted: Readonly<Record<string, string>>;
};

export type Drill = {
  readonly service: ServiceName;
  /** Collections that are not restored: the external rail's records. */
  readonly kept?: readonly string[];
  readonly before?: (platform: DrillPlatform) => Promise<Record<string, string>>;
  readonly after?: (platform: DrillPlatform, noted: Record<string, string>) => Promise<void>;
  readonly beforeStart?: (platform: DrillPlatform) => Promise<void>;
  /** Follows docs/operators/backup-and-restore.md. Returns a log. */
  readonly recover: (platform: DrillPlatform, lost: Lost) => Promise<readonly string[]>;
  /** Accepts findings that no step can repair. */
  readonly stays: (finding: Finding) => boolean;
};

export function byOperator(operationId: string) {
  return { operationId };
}

export function requestOf(order: PayoutOrder) {
  return { mutation: byOperator(order.operation_id), ...executeRequest(order) };
}
