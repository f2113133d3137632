import type { Document } from "./store/value.ts";

/** What must hold at every moment, not only at the end: a rule over one write. */
type Rule = (before: Document | undefined, after: Document | undefined, now: Date) => string[];

/** Looks at every write of every service as it is made. */
export class Watch {
  readonly broken: string[] = [];
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  readonly listen = (
    collection: string,
    before: Document | undefined,
    after: Document | undefined,
  ): void => {
    const rule = rules[collection];
    if (rule === undefined) return;
    const id = String((after ?? before)?._id);
    for (const wrong of rule(before, after, this.#now())) {
      this.broken.push(`${collection} ${id}: ${wrong}`);
    }
  };
}

function wrongIf(isWrong: boolean, what: string): string[] {
  return isWrong ? [what] : [];
}

const statusWays = new Set([
  "undefined initiated",
  "initiated initiated",
  "initiated succeeded",
  "initiated failed",
  "succeeded succeeded",
  "succeeded failed",
  "failed failed",
]);

const rules: Readonly<Record<string, Rule>> = {
  accounts: (before, after) => [
    ...wrongIf(String(after?.available).startsWith("-"), "available fell below zero"),
    ...wrongIf(String(after?.held).startsWith("-"), "held fell below zero"),
    ...wrongIf(numberOf(after, "sequence") < numberOf(before, "sequence"), "went back"),
  ],
  ledger_entries: (before) => wrongIf(before !== undefined, "a ledger entry was changed"),
  payouts: (before, after) => {
    const way = `${before?.status} ${after?.status}`;
    const raised = numberOf(after, "version") - numberOf(before, "version");
    const isChanged = before?.status !== after?.status;
    return [
      ...wrongIf(!statusWays.has(way), `went from ${way.replace(" ", " to ")}`),
      ...wrongIf(raised !== Number(isChanged), `its version rose by ${raised}, ${way}`),
      ...wrongIf(numberOf(after, "revision") < numberOf(before, "revision"), "went back"),
    ];
  },
  deliveries: (before, after) => {
    const isReopened = before !== undefined && before.state !== "pending";
    return wrongIf(isReopened && before.state !== after?.state, `left ${before?.state}`);
  },
  quotes: (before, after, now) => {
    const isClaim = after?.state === "claimed" && before?.state !== "claimed";
    return [
      ...wrongIf(isClaim && now >= (after.expires_at as Date), "was claimed after its expiry"),
      ...wrongIf(isClaim && before?.state !== "open", `was claimed when ${before?.state}`),
      ...wrongIf(before?.state === "claimed" && after?.state !== "claimed", "lost its claim"),
    ];
  },
};

function numberOf(document: Document | undefined, field: string): number {
  return Number(document?.[field] ?? 0);
}
