import type { Failure } from "@disburse/kernel/failure.ts";

/** A failure with its reason; absent if the rail gave none. */
type Failed = { readonly failure?: Failure };

/** The status of a transfer at its rail. */
export type RailStatus =
  /** The rail has the transfer; its outcome is open. */
  | { readonly kind: "accepted" }
  | { readonly kind: "settled"; readonly reference: string }
  /** It was not and will not be paid. */
  | ({ readonly kind: "rejected" } & Failed)
  /** Paid, and returned; with the reference of the payment if the rail gives it. */
  | ({ readonly kind: "returned"; readonly reference?: string } & Failed)
  | { readonly kind: "unknown" }
  /** The rail has never seen the key: submitting under the same key is safe. */
  | { readonly kind: "not_received" };

/** The outcome of a transfer, as a rail reports or operators resolve it. */
export type Outcome = Extract<RailStatus, { kind: "settled" | "rejected" | "returned" }>;

/** An amount as decimal text, as the rail writes it. */
export type TransferredAmount = {
  readonly amount: string;
  readonly currency: string;
};

/** A rail's report on a transfer, by response, poll or callback. */
export type RailReport = {
  readonly status: RailStatus;
  readonly transferred?: TransferredAmount | undefined;
  /** The missing part of a returned amount; absent if all of it was returned. */
  readonly short?: TransferredAmount | undefined;
};
