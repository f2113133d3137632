import type { AchAddenda, AchChange } from "../nacha/addenda.ts";
import type { AchEntry, ReadAch } from "../nacha/read.ts";

/** An ACH credit that was sent, as its rail stored it. */
export type SentAch = {
  readonly payoutId: string;
  /** The trace number that `writeAch` gave it. */
  readonly trace: string;
  readonly cents: bigint;
  readonly state: "sent" | "settled" | "returned";
};

/** What comes back of ACH credits means. Nothing confirms one: no return in time is settlement. */
export type AchVerdict =
  | {
      readonly verdict: "returned";
      readonly payoutId: string;
      readonly code: string;
      readonly cents: bigint;
    }
  /** The beneficiary's bank proposes other data; a person decides. */
  | { readonly verdict: "change"; readonly payoutId: string; readonly change: AchChange }
  | { readonly verdict: "known"; readonly payoutId: string }
  | {
      readonly verdict: "doubt";
      readonly payoutId: string;
      readonly doubt: "dishonoured" | "contested" | "amount-differs";
    }
  | {
      readonly verdict: "unmatched";
      readonly unmatched: "unknown" | "ambiguous";
      readonly line: number;
    };

/**
 * What each return and change of a file means. A return is of the payment with its original trace
 * number and amount; where trace numbers came twice over the years, the amount has to tell them
 * apart. A return that was dishonoured or contested goes before an operator.
 */
export function achVerdicts(file: ReadAch, sent: readonly SentAch[]): AchVerdict[] {
  const byTrace = Map.groupBy(sent, ({ trace }) => trace);
  const returned = new Set<string>();
  return file.batches
    .flatMap(({ entries }) => entries)
    .flatMap((entry) => {
      const answers = entry.addenda.filter(({ kind }) => kind !== "information");
      const gravest = answers.toSorted((a, b) => gravity(b) - gravity(a)).slice(0, 1);
      return gravest.flatMap((answer) => verdictOf(entry, answer, byTrace, returned));
    });
}

/** An entry that names a return and its dishonour is about the dishonour. */
function gravity({ kind }: AchAddenda): number {
  return ["information", "change", "return", "dishonoured", "contested"].indexOf(kind);
}

function verdictOf(
  { line, cents }: AchEntry,
  answer: AchAddenda,
  byTrace: ReadonlyMap<string, readonly SentAch[]>,
  returned: Set<string>,
): AchVerdict[] {
  if (answer.kind === "information") return [];
  const candidates = byTrace.get(answer.originalTrace) ?? [];
  // A change has no amount.
  const fitting =
    answer.kind === "change" ? candidates : candidates.filter((each) => each.cents === cents);
  const [payment, ...others] = fitting;
  if (others.length > 0) return [{ verdict: "unmatched", unmatched: "ambiguous", line }];
  if (payment === undefined) {
    const [only, ...more] = candidates;
    if (only === undefined) return [{ verdict: "unmatched", unmatched: "unknown", line }];
    if (more.length > 0) return [{ verdict: "unmatched", unmatched: "ambiguous", line }];
    return [{ verdict: "doubt", payoutId: only.payoutId, doubt: "amount-differs" }];
  }
  const { payoutId } = payment;
  if (answer.kind === "change") return [{ verdict: "change", payoutId, change: answer }];
  if (answer.kind !== "return") return [{ verdict: "doubt", payoutId, doubt: answer.kind }];
  if (payment.state === "returned" || returned.has(payoutId)) {
    return [{ verdict: "known", payoutId }];
  }
  returned.add(payoutId);
  return [{ verdict: "returned", payoutId, code: answer.code, cents }];
}
