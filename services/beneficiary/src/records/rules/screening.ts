export type Verdict = "clear" | "review" | "block";

export const screeningStatuses = ["pending", "cleared", "review", "blocked"] as const;
export type ScreeningStatus = (typeof screeningStatuses)[number];

export type Screening =
  /** Number of attempts so far without a result. */
  | { readonly status: "pending"; readonly attempts: number; readonly nextAt: Date }
  | ScreeningResult;

export type ScreeningResult = {
  readonly status: Exclude<ScreeningStatus, "pending">;
  readonly screeningId: string;
  /** Time of the comparison by compliance's clock. The latest result counts. */
  readonly screenedAt: Date;
};

const statusOf: Readonly<Record<Verdict, ScreeningResult["status"]>> = {
  clear: "cleared",
  review: "review",
  block: "blocked",
};

export function screeningResult(
  verdict: Verdict,
  screeningId: string,
  screenedAt: Date,
): ScreeningResult {
  return { status: statusOf[verdict], screeningId, screenedAt };
}

/** The creation makes the first attempt; the sweep makes the later ones. */
export function pendingScreening(now: Date, sweepEveryMs: number): Screening {
  return { status: "pending", attempts: 1, nextAt: nextAttemptAt(1, now, sweepEveryMs) };
}

/** Maximum wait between attempts, also after a long outage. */
const backOffMaxMs = 30_000;

/** Doubles the wait with each attempt, starting at the sweep's interval. */
export function nextAttemptAt(attempts: number, now: Date, sweepEveryMs: number): Date {
  const doubled = sweepEveryMs * 2 ** (attempts - 1);
  return new Date(now.getTime() + Math.max(sweepEveryMs, Math.min(doubled, backOffMaxMs)));
}

/** A person or company in the form that compliance compares with its lists. */
export type Party = {
  readonly type: "individual" | "entity";
  readonly name: string;
  /** Date of birth or incorporation as `yyyy-mm-dd`; `""` if unknown. */
  readonly date: string;
  readonly countries: readonly string[];
  /** Ids of documents and registrations. Forms don't include the issuer. */
  readonly documentIds: readonly string[];
};

/** A wallet in the form that compliance compares with its lists. */
export type PartyWallet = {
  /** Empty if unknown: compliance then checks every network on which the address is valid. */
  readonly networks: readonly string[];
  readonly address: string;
};

/**
 * An account's bank or a wallet's custodian in the form that compliance compares with its lists; ""
 * for unknown parts.
 */
export type PartyBank = { readonly name: string; readonly bic: string; readonly country: string };

/** The subjects that compliance screens for a record and then monitors. */
export type ScreeningScope = {
  readonly parties: readonly Party[];
  readonly wallets: readonly PartyWallet[];
  readonly banks: readonly PartyBank[];
};

/** Joins the name parts, and drops unknown parts and duplicate countries. */
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
