import anyAscii from "any-ascii";
import type { MatcherConfig } from "./config.ts";

/** One reason for a score, readable by a compliance officer. */
export type Reason = {
  readonly kind: "name" | "date" | "country" | "document";
  readonly text: string;
  /** What it added to or took from the score, in [-1, 1]. */
  readonly effect: number;
};

/** How two dates agree, from the strongest to none. */
export type DateVerdict = "equal" | "near" | "year" | "contradicts" | "unknown";

/** A year that a list gives alone is often an estimate (`circa 1965`): one off is near. */
const yearTolerance = 1;

/** Midnight in another time zone, and a slip of the pen. */
const daysNear = 2;
const dayMs = 86_400_000;

/** How a birth date agrees with one of a list, which may be a year or a month only. */
export function compareDate(party: string, listed: string): DateVerdict {
  if (party === "" || listed === "") return "unknown";
  const [year = "", month, day] = party.split("-");
  const [listedYear = "", listedMonth, listedDay] = listed.split("-");
  const apart = Math.abs(Number(year) - Number(listedYear));
  if (listedMonth === undefined || listedDay === undefined) {
    if (apart > yearTolerance) return "contradicts";
    if (apart !== 0) return "near";
    return listedMonth === undefined || listedMonth === month ? "year" : "near";
  }
  if (party === listed) return "equal";
  if (Math.abs(Date.parse(party) - Date.parse(listed)) <= daysNear * dayMs) return "near";
  if (apart === 0) {
    const swapped = month === listedDay && day === listedMonth;
    return swapped || month === listedMonth || day === listedDay ? "near" : "contradicts";
  }
  const sameDay = month === listedMonth && day === listedDay;
  return sameDay && (apart === yearTolerance || apart === 10) ? "near" : "contradicts";
}

const order: readonly DateVerdict[] = ["equal", "year", "near", "contradicts", "unknown"];

/** The best agreement among all dates of an entry, and the date that gave it. */
export function compareDates(
  party: string,
  listed: readonly string[],
): { verdict: DateVerdict; listed: string } {
  let best: { verdict: DateVerdict; listed: string } = { verdict: "unknown", listed: "" };
  for (const date of listed) {
    const verdict = compareDate(party, date);
    if (order.indexOf(verdict) < order.indexOf(best.verdict)) best = { verdict, listed: date };
  }
  return best;
}

/** A document number as it is compared: capitals and digits only. "" where too little is left. */
export function documentKey(number: string): string {
  const key = number
    .normalize("NFKC")
    .toUpperCase()
    // Digits of other scripts: `۰۴۵`.
    .replace(/(?!\d)\p{Nd}/gu, (digit) => anyAscii(digit))
    .replace(/[^\p{L}\p{N}]/gu, "");
  return key.length >= documentLengthMin && /\d{3}/.test(key) ? key : "";
}

/** Shorter numbers, and `IMO` or `N/A` in their place, would make strangers equal. */
const documentLengthMin = 5;

/** `country` is ISO 3166 alpha-2 of who issued it, "" where that is not known. */
export type PartyDocument = { readonly number: string; readonly country: string };

/** What is known of a party beside its name. */
export type Evidence = {
  /** `yyyy-mm-dd` or "". */
  readonly date: string;
  readonly countries: readonly string[];
  readonly documents: readonly PartyDocument[];
};
/** What is listed of an entry beside its names. */
export type ListedEvidence = {
  /** Of birth, or of incorporation: `yyyy`, `yyyy-mm` or `yyyy-mm-dd`. */
  readonly births: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly countries: readonly string[];
  readonly documents: readonly PartyDocument[];
};

type Step = {
  readonly kind: "date" | "country" | "document";
  readonly text: string;
  /** Share of the way to 1 that the score goes. */
  readonly up: number;
  readonly down: number;
};

/** A score after the evidence, with a reason for each piece. */
export type WeighedEvidence = {
  readonly score: number;
  readonly reasons: readonly Reason[];
  readonly dateContradicts: boolean;
};

/** A name's score after what else is known of party and entry, each step with its reason. */
export function weighEvidence(
  nameScore: number,
  party: Evidence,
  entry: ListedEvidence,
  config: MatcherConfig,
): WeighedEvidence {
  const date = compareDates(party.date, entry.births);
  const steps = [
    dateStep(party.date, date.listed, date.verdict, config),
    countryStep(party.countries, entry.countries, config),
    documentStep(party.documents, entry.documents, config),
  ];
  const reasons: Reason[] = [];
  let score = nameScore;
  for (const step of steps) {
    if (step === undefined) continue;
    const mayRise = nameScore >= config.evidence.nameMin || step.kind === "document";
    const up = mayRise ? (1 - score) * step.up : 0;
    const next = Math.max(0, score + up - step.down);
    reasons.push({ kind: step.kind, text: step.text, effect: roundScore(next - score) });
    score = next;
  }
  return { score, reasons, dateContradicts: date.verdict === "contradicts" };
}

function dateStep(
  party: string,
  listed: string,
  verdict: DateVerdict,
  { evidence }: MatcherConfig,
): Step | undefined {
  const text = (how: string): string => `date: ${party} ${how} ${listed}`;
  switch (verdict) {
    case "equal":
      return { kind: "date", text: text("equals"), up: evidence.dateEqual, down: 0 };
    case "year":
      return { kind: "date", text: text("is in"), up: evidence.yearEqual, down: 0 };
    case "near":
      return { kind: "date", text: text("is near"), up: evidence.dateNear, down: 0 };
    case "contradicts":
      return { kind: "date", text: text("contradicts"), up: 0, down: evidence.dateContradicts };
    case "unknown":
      return undefined;
  }
}

function countryStep(
  party: readonly string[],
  listed: readonly string[],
  { evidence }: MatcherConfig,
): Step | undefined {
  if (party.length === 0 || listed.length === 0) return undefined;
  const shared = party.filter((country) => listed.includes(country));
  if (shared.length > 0) {
    const text = `country: ${shared.join(", ")} is listed too`;
    return { kind: "country", text, up: evidence.countryShared, down: 0 };
  }
  const text = `country: ${party.join(", ")} is none of ${listed.join(", ")}`;
  return { kind: "country", text, up: 0, down: evidence.countryDiffers };
}

type DocumentVerdict = "same" | "equal" | "another" | "unknown";

/** How two documents agree: numbers are one country's own, so another issuer's is another one. */
function compareDocument(party: PartyDocument, listed: PartyDocument): DocumentVerdict {
  const key = documentKey(party.number);
  if (key === "" || key !== documentKey(listed.number)) return "unknown";
  if (party.country === "" || listed.country === "") return "equal";
  return party.country === listed.country ? "same" : "another";
}

const documentOrder: readonly DocumentVerdict[] = ["same", "equal", "another", "unknown"];

function documentStep(
  party: readonly PartyDocument[],
  listed: readonly PartyDocument[],
  { evidence }: MatcherConfig,
): Step | undefined {
  if (party.length === 0 || listed.length === 0) return undefined;
  const found = party.flatMap((ours) => listed.map((theirs) => compareDocument(ours, theirs)));
  const verdict = documentOrder.find((each) => found.includes(each)) ?? "unknown";
  const step = (text: string, up: number): Step => ({ kind: "document", text, up, down: 0 });
  switch (verdict) {
    case "same":
      return step("document: the same number of the same country", evidence.documentSame);
    case "equal":
      return step("document: the same number is listed", evidence.documentEqual);
    case "another":
      return step("document: the same number, but of another country", 0);
    case "unknown":
      return undefined;
  }
}

/** Scores are kept to four decimals: more would claim what the numbers cannot know. */
export function roundScore(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
