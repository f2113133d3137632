/**
 * The minimum and maximum of one transfer in minor units, inclusive. `undefined` means no limit.
 */
export type TransferLimits = { readonly min?: bigint; readonly max?: bigint };

/** The transfers that a rail can send. */
export type RailCapabilities = {
  readonly currencies: readonly string[];
  /** Some of `CRYPTO`, `SWIFT`, `ACH`, `LOCAL`, `SEPA`. */
  readonly transferMethods: readonly string[];
  readonly networks: readonly string[];
  /** Limits for each currency. A currency without an entry has no limits. */
  readonly limits: Readonly<Record<string, TransferLimits>>;
};

/** A currency with its transfer method and network. */
export type TransferKind = {
  readonly currency: string;
  readonly transferMethod: string;
  /** "" unless the transfer is a crypto transfer. */
  readonly network: string;
};

/** The properties of a transfer that select its rail. */
export type Transfer = TransferKind & {
  /** Amount in minor units of the currency. */
  readonly amount: bigint;
};
