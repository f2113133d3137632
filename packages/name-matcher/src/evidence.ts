import anyAscii from "any-ascii";
import type { MatcherConfig } from "./config.ts";

/** A reason for a score, for a compliance officer to read. */
export type Reason = {
  readonly kind: "name" | "date" | "country" | "document";
  readonly text: string;
  /** The change of the score, in [-1, 1]. */
  readonly effect: number;
};

/**
 * Agreement of two dates. `near` means at most two days apart, at most one year apart, or a likely
 * typo.
 */
export type DateAgreement = (typeof dateAgreements)[number];
/** Ordered from best to worst agreement. */
const dateAgreements = ["equal", "year", "near", "contradicts", "unknown"] as const;

/** A year without month and day is often an estimate (`circa 1965`), so one year apart is near. */
const yearTolerance = 1;

/** Two days cover a date in another time zone, and a typo in the day. */
const daysNear = 2;
const dayMs = 86_400_000;

/** Compares a party's date with a listed date, month or year. "" means an unknown date. */
export function compareDate(party: string, listed: string): DateAgreement {
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

/** Returns the best agreement with any date of an entry, and that date. */
export function compareDates(
  party: string,
  dates: readonly string[],
): { verdict: DateAgreement; listed: string } {
  const rank = ({ verdict }: { verdict: DateAgreement }) => dateAgreements.indexOf(verdict);
  const found = dates.map((listed) => ({ verdict: compareDate(party, listed), listed }));
  return found.reduce((best, each) => (rank(each) < rank(best) ? each : best), {
    verdict: "unknown",
    listed: "",
  });
}

/** Reduces a document number to capitals and digits; "" if too few characters are left. */
export function documentKey(number: string): string {
  const key = number
    .normalize("NFKC")
    .toUpperCase()
    // Converts digits of other scripts: `۰۴۵`.
    .replace(/(?!\d)\p{Nd}/gu, (digit) => anyAscii(digit))
    .replace(/[^\p{L}\p{N}]/gu, "");
  return key.length >= documentLengthMin && /\d{3}/.test(key) ? key : "";
}

/**
 * The minimum length of a document number. Shorter texts are shared by unrelated parties or are
 * placeholders such as `IMO` or `N/A`.
 */
const documentLengthMin = 5;

/** An identity document. `country` is the issuer's ISO 3166 alpha-2 code, "" if unknown. */
export type PartyDocument = { readonly number: string; readonly country: string };

/** The known facts about a party beside its name. */
export type Evidence = {
  /** Birth or incorporation date: `yyyy-mm-dd` or "". */
  readonly date: string;
  readonly countries: readonly string[];
  readonly documents: readonly PartyDocument[];
};
/** The listed facts about an entry beside its names. */
export type ListedEvidence = {
  /** Dates of birth or of incorporation: `yyyy`, `yyyy-mm` or `yyyy-mm-dd`. */
  readonly births: readonly string[];
  /** ISO 3166 alpha-2 country codes. */
  readonly countries: readonly string[];
  readonly documents: readonly PartyDocument[];
};

type Step = {
  readonly kind: "date" | "country" | "document";
  readonly text: string;
  /** The score rises by this share of its distance to 1. */
  readonly up: number;
  /** An amount to subtract from the score. */
  readonly down: number;
};

/** Adjusts a name's score by birth date, country and documents, with a reason for each change. */
export function weighEvidence(
  nameScore: number,
  party: Evidence,
  entry: ListedEvidence,
  config: MatcherConfig,
) {
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
  verdict: DateAgreement,
  { evidence }: MatcherConfig,
): Step | undefined {
  if (verdict === "unknown") return undefined;
  const { dateEqual, yearEqual, dateNear, dateContradicts } = evidence;
  const steps = {
    equal: { how: "equals", up: dateEqual, down: 0 },
    year: { how: "is in", up: yearEqual, down: 0 },
    near: { how: "is near", up: dateNear, down: 0 },
    contradicts: { how: "contradicts", up: 0, down: dateContradicts },
  };
  const { how, up, down } = steps[verdict];
  return { kind: "date", text: `date: ${party} ${how} ${listed}`, up, down };
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

/**
 * Ordered from best to worst. `another`: equal numbers of two known issuers belong to different
 * documents, because numbers are unique only within a country.
 */
const documentAgreements = ["same", "equal", "another"] as const;

function compareDocument(party: PartyDocument, listed: PartyDocument) {
  const key = documentKey(party.number);
  if (key === "" || key !== documentKey(listed.number)) return undefined;
  if (party.country === "" || listed.country === "") return "equal";
  return party.country === listed.country ? "same" : "another";
}

function documentStep(
  party: readonly PartyDocument[],
  listed: readonly PartyDocument[],
  { evidence }: MatcherConfig,
): Step | undefined {
  const found = party.flatMap((ours) => listed.map((theirs) => compareDocument(ours, theirs)));
  const best = documentAgreements.find((each) => found.includes(each));
  if (best === undefined) return undefined;
  const steps = {
    same: { text: "document: the same number of the same country", up: evidence.documentSame },
    equal: { text: "document: the same number is listed", up: evidence.documentEqual },
    another: { text: "document: the same number, but of another country", up: 0 },
  };
  return { kind: "document", ...steps[best], down: 0 };
}

/** Rounds to four decimals; more would claim a precision that the weights do not have. */
export function roundScore(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
