import { documentKey } from "@disburse/name-matcher/evidence.ts";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import type { ScreeningQuery } from "../../screening/rules/screening.ts";
import { canonicalWallet, type Wallet } from "../../wallets/rules/wallet.ts";

/**
 * What is compared of the party or wallet at a place of a request, parties first, as one text:
 * equal for two requests between which nothing changed that a decision could rest on.
 */
export function screenedForm({ parties, wallets }: ScreeningQuery, subjectIndex: number): string {
  const party = parties[subjectIndex];
  if (party !== undefined) return partyForm(party);
  const wallet = wallets[subjectIndex - parties.length];
  if (wallet === undefined) throw new Error("a hit of nothing that was screened");
  return walletForm(wallet);
}

/** The forms of everything in a request. */
export function screenedForms({ parties, wallets }: ScreeningQuery): string[] {
  return [...parties.map(partyForm), ...wallets.map(walletForm)];
}

function partyForm({ type, name, date, countries, documents }: Party): string {
  const written = name.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();
  const numbers = documents.map(({ number, country }) => [documentKey(number) || number, country]);
  const sorted = numbers.map((each) => JSON.stringify(each)).sort();
  return JSON.stringify(["party", type, written, date, [...countries].sort(), sorted]);
}

function walletForm({ families, address }: Wallet): string {
  const canonical = families.map((family) => [family, canonicalWallet(family, address) ?? address]);
  return JSON.stringify(["wallet", canonical.map((each) => each.join(":")).sort()]);
}
