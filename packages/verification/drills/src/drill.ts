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

/** What a merchant sent along with a payout, from the payout or the claim that keep it. */
export function sentTexts(stored: {
  readonly reference_id: string;
  readonly remittance_information?: string;
  readonly purpose_code?: string;
  readonly metadata?: readonly { readonly k: string; readonly v: string }[];
}) {
  return {
    referenceId: stored.reference_id,
    remittanceInformation: stored.remittance_information ?? "",
    purposeCode: stored.purpose_code ?? "",
    metadata: Object.fromEntries((stored.metadata ?? []).map(({ k, v }) => [k, v])),
  };
}
