import { documentKey } from "@disburse/name-matcher/evidence.ts";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import { type Bank, bicKey } from "../../banks/rules/bank.ts";
import type { ScreeningQuery } from "../../screening/rules/screening.ts";
import { canonicalWallet, type Wallet } from "../../wallets/rules/wallet.ts";

/**
 * Returns the compared data of the party, wallet or bank at a position of a request, as one text.
 * Two requests with the same text can share a decision.
 */
export function screenedForm(request: ScreeningQuery, subjectIndex: number): string {
  const form = screenedForms(request)[subjectIndex];
  if (form === undefined) throw new Error("a hit's subject index is not in the request");
  return form;
}

/** Returns the name of the party or bank, or the address of the wallet, at a position of a request. */
export function screenedName(request: ScreeningQuery, subjectIndex: number): string {
  const { parties, wallets, banks = [] } = request;
  const of = [...parties, ...wallets, ...banks][subjectIndex];
  if (of === undefined) throw new Error("a hit's subject index is not in the request");
  if ("address" in of) return of.address;
  return "bic" in of ? of.name || of.bic || of.country : of.name;
}

/** The forms of all parties, wallets and banks of a request. */
export function screenedForms({ parties, wallets, banks = [] }: ScreeningQuery): string[] {
  return [...parties.map(partyForm), ...wallets.map(walletForm), ...banks.map(bankForm)];
}

function writtenForm(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();
}

function partyForm({ type, name, date, countries, documents }: Party): string {
  const written = writtenForm(name);
  const numbers = documents.map(({ number, country }) => [documentKey(number) || number, country]);
  const sorted = numbers.map((each) => JSON.stringify(each)).sort();
  return JSON.stringify(["party", type, written, date, [...countries].sort(), sorted]);
}

function bankForm({ name, bic, country }: Bank): string {
  return JSON.stringify(["bank", writtenForm(name), bicKey(bic) ?? bic, country]);
}

function walletForm({ families, address }: Wallet): string {
  const canonical = families.map((family) => [family, canonicalWallet(family, address) ?? address]);
  return JSON.stringify(["wallet", canonical.map((each) => each.join(":")).sort()]);
}
