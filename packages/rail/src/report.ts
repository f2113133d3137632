import type { Failure } from "@disburse/kernel/failure.ts";

/** A failure with its reason. The reason is absent if the rail gave none. */
type Failed = { readonly failure?: Failure };

/** The status of a transfer at its rail. */
export type RailStatus =
  /** The rail has the transfer. The outcome is still open. */
  | { readonly kind: "accepted" }
  | { readonly kind: "settled"; readonly reference: string }
  /** The transfer was not paid and will not be paid. */
  | ({ readonly kind: "rejected" } & Failed)
  /**
   * The transfer was paid and then returned. `reference` identifies the payment, if the rail
   * provides it.
   */
  | ({ readonly kind: "returned"; readonly reference?: string } & Failed)
  | { readonly kind: "unknown" }
  /** The rail has never received the key, so submitting the same key again is safe. */
  | { readonly kind: "not_received" };

/** The final outcome of a transfer, as reported by a rail or decided by operators. */
export type Outcome = Extract<RailStatus, { kind: "settled" | "rejected" | "returned" }>;

/** An amount as decimal text, as the rail writes it. */
export type TransferredAmount = {
  readonly amount: string;
  readonly currency: string;
};

/** A rail's report on a transfer, from a response, poll or callback. */
export type RailReport = {
  readonly status: RailStatus;
  readonly transferred?: TransferredAmount | undefined;
  /**
   * The difference between the paid and the returned amount. Absent if the whole amount was
   * returned.
   */
  readonly short?: TransferredAmount | undefined;
};
