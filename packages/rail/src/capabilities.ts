/** Bounds of one transfer in minor units, inclusive; `undefined`: no bound. */
export type TransferLimits = { readonly min?: bigint; readonly max?: bigint };

/** The transfers that a rail can send. */
export type RailCapabilities = {
  readonly currencies: readonly string[];
  /** `CRYPTO`, `SWIFT`, `ACH`, `LOCAL`, `SEPA`. */
  readonly transferMethods: readonly string[];
  /** Of crypto transfers. */
  readonly networks: readonly string[];
  /** By currency; a currency that is not in it has no limits. */
  readonly limits: Readonly<Record<string, TransferLimits>>;
};

/** A currency with its transfer method and network. */
export type Way = {
  readonly currency: string;
  readonly transferMethod: string;
  /** Of a crypto transfer; else "". */
  readonly network: string;
};

/** The properties of a transfer that select its rail. */
export type Transfer = Way & {
  /** Minor units of the currency. */
  readonly amount: bigint;
};
