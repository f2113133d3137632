import type { PayoutOrder } from "@disburse/invariants/documents.ts";
import type { Finding } from "@disburse/invariants/finding.ts";
import type { Order } from "@disburse/platform/merchant.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import type { DrillPlatform } from "./platform.ts";

/** What a drill leaves for its recovery: what the merchant has, and what its own steps noted. */
export type Lost = {
  /** Orders from after the copy: the platform's record of them may be gone. */
  readonly orders: readonly Order[];
  /** By names of the drill's own. */
  readonly noted: Readonly<Record<string, string>>;
};

/** One database that goes back to an earlier copy. */
export type Drill = {
  readonly service: ServiceName;
  /** Collections that stay: the records of the rail, which stands outside of the platform. */
  readonly kept?: readonly string[];
  /** Before the copy is made; answers what it noted. */
  readonly before?: (platform: DrillPlatform) => Promise<Record<string, string>>;
  /** After the copy, beside the orders. */
  readonly after?: (platform: DrillPlatform, noted: Record<string, string>) => Promise<void>;
  /** When the copy is restored, and before the service starts. */
  readonly beforeStart?: (platform: DrillPlatform) => Promise<void>;
  /** The steps of docs/RUNBOOK.md; answers what they did, in lines. */
  readonly recover: (platform: DrillPlatform, lost: Lost) => Promise<readonly string[]>;
  /** Whether a finding is of what no step brings back. */
  readonly stays: (finding: Finding) => boolean;
};

/** A change by the operator of the drill, whose token its clients have, under an operation id. */
export function byOperator(operationId: string) {
  return { operationId };
}

/** The request of an order, as its payout or its claim keep it. */
export function requestOf({ merchant_id, quote_id, operation_id, ...order }: PayoutOrder) {
  const { metadata = [], ...texts } = order.details;
  return {
    mutation: byOperator(operation_id),
    merchantId: merchant_id,
    quoteId: quote_id,
    allowDuplicate: order.allow_duplicate,
    referenceId: texts.reference_id,
    remittanceInformation: texts.remittance_information,
    purposeCode: texts.purpose_code,
    metadata: Object.fromEntries(metadata.map(({ k, v }) => [k, v])),
  };
}
