import { type Answer, Bank } from "./bank.ts";
import { type Outcome, outcomesInOrder } from "./outcomes.ts";

/** The bank's charge for a short return, in cents. */
export const returnCharge = 7n;

export type Answers = {
  readonly bank: Bank;
  readonly statusReport: Uint8Array;
  /** Notifications about debits come first, then those about returned payments. */
  readonly notifications: readonly Uint8Array[];
  readonly statement: Uint8Array;
};

/**
 * Answers a pain.001 as a bank does in one evening. `outcomes` follow the order of the payments in
 * the file. `inOneSum` decides how the bank books blocks, whatever the file requests.
 */
export function answersOf(
  file: Uint8Array,
  outcomes: readonly Outcome[],
  inOneSum?: boolean,
): Answers {
  const bank = new Bank({
    outcomeOf: outcomesInOrder(outcomes),
    returnCharge,
    opening: 1_000_000n,
    ...(inOneSum === undefined ? {} : { inOneSum }),
    now: () => new Date("2026-11-25T20:00:00.000Z"),
  });
  const answers = [...bank.receive(file), ...bank.closeDay()];
  const [receipt] = bank.receipts;
  if (receipt?.taken !== "paid")
    throw new Error(`the simulated bank refuses the file: ${receipt?.faults}`);
  const of = (kind: Answer["kind"]) =>
    answers.filter((answer) => answer.kind === kind).map(({ bytes }) => bytes);
  const [[statusReport], [statement]] = [of("status-report"), of("statement")];
  if (statusReport === undefined || statement === undefined) throw new Error("the bank is silent");
  return { bank, statusReport, statement, notifications: of("notification") };
}
