import { type Verdict, verdicts } from "@disburse/name-matcher/verdict.ts";
import { canonicalWallet, type WalletFamily, walletFamily, walletNetworks } from "./wallet.ts";

/** The provider's rating, worst last. */
export const severities = ["none", "low", "medium", "high", "severe"] as const;
export type Severity = (typeof severities)[number];

export type WalletAssessment = {
  readonly provider: string;
  readonly verdict: Verdict;
  readonly severity: Severity;
  /** Category, name and reference of the provider's findings, for people to read. */
  readonly evidence: readonly string[];
  /** The time of the provider's response. */
  readonly asOf: Date;
};

/** A provider's finding about an address; "" for missing fields. */
export type Identification = {
  readonly category: string;
  readonly name: string;
  readonly url: string;
};

/** The maximum evidence to store. A person reads no more, but the verdict counts all. */
const evidenceMax = 20;
/** The maximum length of one piece of evidence, one line on a screen. Providers set no limit. */
const evidenceLengthMax = 300;

/**
 * Rates identifications. A sanctioned address is a block, like a listed one. Any other category is
 * a review. No identification is clear.
 */
export function assessmentOf(
  identifications: readonly Identification[],
  provider: string,
  asOf: Date,
): WalletAssessment {
  const evidence = identifications.slice(0, evidenceMax).map(evidenceText);
  if (identifications.length === 0) {
    return { provider, verdict: "clear", severity: "none", evidence, asOf };
  }
  if (identifications.some(({ category }) => /^sanction/i.test(category.trim()))) {
    return { provider, verdict: "block", severity: "severe", evidence, asOf };
  }
  return { provider, verdict: "review", severity: "high", evidence, asOf };
}

function evidenceText({ category, name, url }: Identification): string {
  return [category, name, url]
    .map((text) => text.replace(/[\s\p{C}]+/gu, " ").trim())
    .filter((text) => text !== "")
    .join(": ")
    .slice(0, evidenceLengthMax)
    .toWellFormed();
}

/** Returns the worst assessment, with the evidence of all. */
export function worstAssessment(all: readonly WalletAssessment[]): WalletAssessment | undefined {
  const [worst] = all.toSorted(
    (a, b) =>
      verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict) ||
      severities.indexOf(b.severity) - severities.indexOf(a.severity),
  );
  if (worst === undefined) return undefined;
  const evidence = [...new Set(all.flatMap((each) => each.evidence))].slice(0, evidenceMax);
  return { ...worst, evidence };
}

/**
 * Returns the networks to query: the requested ones, or by default one of each family that the
 * address may belong to.
 */
export function assessedNetworks(
  networks: readonly string[],
  families: readonly WalletFamily[],
): readonly string[] {
  if (networks.length > 0) return [...new Set(networks)];
  return families.flatMap(
    (family) => walletNetworks.find((network) => walletFamily(network) === family) ?? [],
  );
}

/** Returns an address in the spelling in which the provider is queried. */
export function queriedAddress(network: string, address: string): string {
  const family = walletFamily(network);
  if (family === "evm") return address.toLowerCase();
  if (family === "bitcoin" || family === "tron") return canonicalWallet(family, address) ?? address;
  return address;
}
