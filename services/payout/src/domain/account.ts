/** The kinds of money movement of an account, as its statement names them. */
export type LedgerStep = "credit" | "hold" | "post" | "release" | "return";

/** One movement to apply to an account; `key` makes it happen once. */
export type Movement = {
  readonly key: string;
  readonly step: LedgerStep;
  /** Minor units, above zero. */
  readonly amount: bigint;
  /** "" for a credit. */
  readonly payoutId: string;
  readonly note: string;
};

/** What a movement adds to `available` and `held`. */
export type Effect = { readonly available: bigint; readonly held: bigint };

const effects: Readonly<Record<LedgerStep, (amount: bigint) => Effect>> = {
  credit: (amount) => ({ available: amount, held: 0n }),
  hold: (amount) => ({ available: -amount, held: amount }),
  post: (amount) => ({ available: 0n, held: -amount }),
  release: (amount) => ({ available: amount, held: -amount }),
  return: (amount) => ({ available: amount, held: 0n }),
};

/**
 * The effect of a movement. No step creates money but a credit and a return, none ends it but a
 * post.
 */
export function effectOf({ step, amount }: Pick<Movement, "step" | "amount">): Effect {
  return effects[step](amount);
}

/** The key of a payout's movement: one per payout and step, whoever makes it. */
export function movementKey(payoutId: string, step: LedgerStep): string {
  return `${payoutId}:${step}`;
}

/** The key of a credit: one per account and operation. */
export function creditKey(accountId: string, operationId: string): string {
  return `${accountId}:credit:${operationId}`;
}

export type Account = {
  readonly id: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly available: bigint;
  readonly held: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A line of an account's statement. */
export type LedgerEntry = Movement & {
  readonly accountId: string;
  readonly currency: string;
  /** From 1, without gap within an account. */
  readonly sequence: number;
  /** After this entry. */
  readonly available: bigint;
  readonly held: bigint;
  readonly createdAt: Date;
};
