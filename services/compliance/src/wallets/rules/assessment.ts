import { type Verdict, verdicts } from "@disburse/name-matcher/verdict.ts";
import { canonicalWallet, type WalletFamily, walletFamily, walletNetworks } from "./wallet.ts";

/** How bad a provider calls it, worst last. */
export const severities = ["none", "low", "medium", "high", "severe"] as const;
/** How bad an assessment is. */
export type Severity = (typeof severities)[number];

/** The assessment of a wallet risk provider. */
export type WalletAssessment = {
  readonly provider: string;
  readonly verdict: Verdict;
  readonly severity: Severity;
  /** For people: category, name and reference of what the provider knows. */
  readonly evidence: readonly string[];
  /** When the provider answered. */
  readonly asOf: Date;
};

/** Something that a provider knows of an address; "" where it does not say. */
export type Identification = {
  readonly category: string;
  readonly name: string;
  readonly url: string;
};

/** More evidence than a person reads; the verdict counts it all. */
const evidenceMax = 20;
/** A line on a screen; a provider's texts are not ours to bound otherwise. */
const evidenceLengthMax = 300;

/**
 * What identifications mean: a sanctioned address is a block like a listed one, any other category
 * is for a person to look at, none is clear.
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

/** The worst assessment, with the evidence of all. */
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

/** The networks to ask about: those named, or else one of each family that the address is of. */
export function assessedNetworks(
  networks: readonly string[],
  families: readonly WalletFamily[],
): readonly string[] {
  if (networks.length > 0) return [...new Set(networks)];
  return families.flatMap(
    (family) => walletNetworks.find((network) => walletFamily(network) === family) ?? [],
  );
}

/** An address in the one spelling that a provider is queried with. */
export function queriedAddress(network: string, address: string): string {
  const family = walletFamily(network);
  if (family === "evm") return address.toLowerCase();
  if (family === "bitcoin" || family === "tron") return canonicalWallet(family, address) ?? address;
  return address;
}
