/** A kind of movement of a statement with all its amounts added up, in minor units. */
export type StepTotal = { readonly count: number; readonly amount: bigint };

export type Step = "credit" | "hold" | "post" | "release" | "return";

/** One account as its own documents tell of it. */
export type AccountBook = {
  readonly id: string;
  readonly available: bigint;
  readonly held: bigint;
  /** Of its last movement. */
  readonly sequence: number;
  /** The highest sequence of its ledger. */
  readonly ledgerSequence: number;
  readonly steps: Readonly<Partial<Record<Step, StepTotal>>>;
};

/** A platform's money and payouts, counted in the raw documents of its services. */
export type Books = {
  readonly accounts: readonly AccountBook[];
  readonly payouts: number;
  /** Payouts whose id is not the one that follows from their quote: a quote has one id of one. */
  readonly strayPayouts: number;
  readonly claimedQuotes: number;
  /** Successful executes and seeded payouts. */
  readonly payoutsExpected: number;
};

const none: StepTotal = { count: 0, amount: 0n };

/**
 * What is wrong with a platform's money; nothing when it is conserved: of each account opening (0)
 * + credits − debits = available + held, exactly, no movement is missing, and each quote has at
 * most one payout.
 */
export function moneyFaults(books: Books): string[] {
  const { payouts, strayPayouts, claimedQuotes, payoutsExpected } = books;
  const released = total(books, "release").count;
  const held = total(books, "hold").count;
  return [
    ...books.accounts.flatMap(accountFaults),
    ...unequal("payouts made", payouts, "successful executes and seeded ones", payoutsExpected),
    ...unequal("payouts", payouts, "claimed quotes", claimedQuotes),
    ...unequal("payouts", payouts, "holds less those released before a payout", held - released),
    ...(strayPayouts === 0 ? [] : [`${strayPayouts} payouts do not have the id of their quote`]),
  ];
}

function accountFaults({ id, available, held, sequence, ledgerSequence, steps }: AccountBook) {
  const of = (step: Step) => steps[step] ?? none;
  const amount = (step: Step) => of(step).amount;
  const heldNow = amount("hold") - amount("post") - amount("release");
  const owned = amount("credit") + amount("return") - amount("post");
  const entries = Object.values(steps).reduce((sum, { count }) => sum + count, 0);
  return [
    ...unequal(`${id}: credits less debits`, owned, "available and held", available + held),
    ...unequal(`${id}: holds that are open`, heldNow, "held", held),
    ...unequal(`${id}: ledger entries`, entries, "last sequence", sequence),
    ...unequal(`${id}: ledger's last sequence`, ledgerSequence, "last sequence", sequence),
    ...(available < 0n || held < 0n ? [`${id}: a balance is below zero`] : []),
  ];
}

function total({ accounts }: Books, step: Step): StepTotal {
  return accounts.reduce((sum, { steps }) => {
    const { count, amount } = steps[step] ?? none;
    return { count: sum.count + count, amount: sum.amount + amount };
  }, none);
}

function unequal<T extends number | bigint>(name: string, is: T, other: string, should: T) {
  return is === should ? [] : [`${name} (${is}) ≠ ${other} (${should})`];
}
