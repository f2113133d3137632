/** What compliance says of a wallet or of parties. */
export type Verdict = "clear" | "review" | "block";

/** Every status of a screening. */
export const screeningStatuses = ["pending", "cleared", "review", "blocked"] as const;
export type ScreeningStatus = (typeof screeningStatuses)[number];

/** How far the screening of a record is. */
export type Screening =
  /** No answer after so many attempts; the next one is at `nextAt`. */
  | { readonly status: "pending"; readonly attempts: number; readonly nextAt: Date }
  | ScreeningResult;

/** The outcome of a screening. */
export type ScreeningResult = {
  readonly status: Exclude<ScreeningStatus, "pending">;
  readonly screeningId: string;
  /** When compliance compared, by its clock: the later result is the one that counts. */
  readonly screenedAt: Date;
};

const statusOf: Readonly<Record<Verdict, ScreeningResult["status"]>> = {
  clear: "cleared",
  review: "review",
  block: "blocked",
};

/** What a record's screening is after compliance has answered. */
export function screeningResult(
  verdict: Verdict,
  screeningId: string,
  screenedAt: Date,
): ScreeningResult {
  return { status: statusOf[verdict], screeningId, screenedAt };
}

/** The first try is the creation's own; the sweep has the later ones. */
export function pendingScreening(now: Date, sweepEveryMs: number): Screening {
  return { status: "pending", attempts: 1, nextAt: nextAttemptAt(1, now, sweepEveryMs) };
}

/** After a long outage no record waits longer than this. */
const backOffMaxMs = 30_000;

/** When a record is screened again without an answer: doubling from the sweep's interval. */
export function nextAttemptAt(attempts: number, now: Date, sweepEveryMs: number): Date {
  const doubled = sweepEveryMs * 2 ** (attempts - 1);
  return new Date(now.getTime() + Math.max(sweepEveryMs, Math.min(doubled, backOffMaxMs)));
}

/** A person or company as compliance compares it with its lists. */
export type Party = {
  readonly type: "individual" | "entity";
  readonly name: string;
  /** `yyyy-mm-dd` of birth or incorporation, `""` where it is not known. */
  readonly date: string;
  readonly countries: readonly string[];
  /** Of documents and registrations; forms do not name the issuer. */
  readonly documentIds: readonly string[];
};

/** A wallet as compliance compares it with its lists. */
export type PartyWallet = {
  /** None where it is not known: every one that the address is valid on. */
  readonly networks: readonly string[];
  readonly address: string;
};

/** The bank of an account as compliance compares it with its lists; "" where it is not known. */
export type PartyBank = { readonly name: string; readonly bic: string };

/** Whom and what compliance screens for a record, and watches from then on. */
export type ScreeningScope = {
  readonly parties: readonly Party[];
  readonly wallets: readonly PartyWallet[];
  readonly banks: readonly PartyBank[];
};

/** A party with all of its name, without what is not known; each country once. */
export function party(
  type: Party["type"],
  name: string,
  known: { date: string; countries: readonly string[]; documentIds: readonly string[] },
): Party {
  const present = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== "");
  return {
    type,
    name,
    date: known.date,
    countries: present(known.countries),
    documentIds: present(known.documentIds),
  };
}
