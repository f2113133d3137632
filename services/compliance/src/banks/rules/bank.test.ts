import { matcherConfig } from "@disburse/name-matcher/config.ts";
import { buildMatcher } from "@disburse/name-matcher/matcher.ts";
import { describe, expect, it } from "vitest";
import { screenedForm } from "../../alerts/rules/screened-form.ts";
import { readList } from "../../lists/formats/list-format.ts";
import type { ListEntry } from "../../lists/rules/entry.ts";
import { measuredVersion } from "../../measure/measured-store.ts";
import { entryKeys, requestKeys } from "../../monitoring/blocking-hashes.ts";
import { screen } from "../../screening/rules/screening.ts";
import { buildWalletIndex } from "../../wallets/rules/wallet.ts";
import { type Bank, bicKey, buildBankIndex, listedBicKeys } from "./bank.ts";

/** OFAC's format: `SWIFT/BIC`, and the Bank of Russia's `BIK`, which is another number. */
const csv = [
  '7001,"ZOTAVIK QUELLAR BANK",-0- ,"TEST",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"SWIFT/BIC ZOTVRUMM; BIK (RU) 044525225; alt. SWIFT/BIC ZQBKCYNI."',
  '7003,"FIRST EASTERN INTERNATIONAL BANK PLC",-0- ,"TEST",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ',
  '7002,"ORRUM VEXIL",individual,"TEST",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 08 Sep 1966."',
].join("\r\n");
const list = readList("ofac_csv", [{ name: "primary", bytes: Buffer.from(`${csv}\r\n`) }]);
if ("problem" in list) throw new Error(list.problem);
const entries: readonly ListEntry[] = list.entries;
const [bankEntry] = entries;
const inForce = {
  lists: [measuredVersion],
  matcher: buildMatcher(entries, matcherConfig),
  wallets: buildWalletIndex(entries),
  banks: buildBankIndex(entries),
  listOf: () => measuredVersion,
};
const unknown: Bank = { name: "", bic: "", country: "" };
const request = (...banks: Bank[]) => ({ parties: [], wallets: [], banks });
const screened = (bank: Partial<Bank>) => screen(request({ ...unknown, ...bank }), inForce);

it("a BIC is compared by its first eight characters", () => {
  expect(bicKey("ZOTVRUMM")).toBe("ZOTVRUMM");
  expect(bicKey("zotv ru mm xxx")).toBe("ZOTVRUMM");
  for (const other of ["", "044525225", "ZOTVRUM", "ZOTVRUMMXX", "ZOT1RU", "ZOTV1UMM"]) {
    expect(bicKey(other)).toBeUndefined();
  }
});

it("OFAC's remarks list BICs, and other numbers of banks are none", () => {
  expect(bankEntry && listedBicKeys(bankEntry)).toEqual(["ZOTVRUMM", "ZQBKCYNI"]);
});

describe("the bank of an account", () => {
  it.each([
    ["of a listed BIC", { bic: "ZOTVRUMM" }, "block"],
    ["of a branch's BIC", { bic: "ZOTVRUMM123" }, "block"],
    ["of an alternative BIC", { bic: "ZQBKCYNIXXX" }, "block"],
    ["of a listed BIC and another name", { bic: "ZOTVRUMM", name: "First Bank" }, "block"],
    ["of a listed name alone", { name: "Zotavik Quellar Bank" }, "review"],
    [
      "of a listed name and another BIC",
      { bic: "CHASUS33", name: "Zotavik Quellar Bank" },
      "review",
    ],
    ["of a name that contains a listed one", { name: "Zotavik Quellar Bank Limassol" }, "review"],
    ["of a listed name and a place", { name: "First Eastern International Bank Pan" }, "review"],
    [
      "of a listed name and a word of trade",
      { name: "First Eastern International Bank Europe" },
      "review",
    ],
    ["of a name just as alike as it must be", { name: "Zotovik Quela Bank" }, "review"],
    ["of a name less alike than that", { name: "Zotavik Bank" }, "clear"],
    ["of a listed person's name", { name: "Orrum Vexil" }, "review"],
    ["of a name that cannot be compared", { name: "☂☂" }, "review"],
    ["of nearly a listed name", { name: "Zotavik Quelar Bank" }, "review"],
    ["of words that all banks have", { name: "First International Bank" }, "clear"],
    ["of another BIC and name", { bic: "CHASUS33", name: "First Bank" }, "clear"],
    ["of a BIC that differs in its location", { bic: "ZOTVRU2P" }, "clear"],
  ])("%s: %j is %s", (_, bank, verdict) => {
    expect(screened(bank).verdict).toBe(verdict);
  });

  it("is one hit where its BIC and its name are of one entry, with the reason", () => {
    const { hits } = screened({ bic: "ZOTVRUMM", name: "Zotavik Quellar Bank" });
    expect(hits).toMatchObject([
      { verdict: "block", entryUid: "7001", reasons: [{ kind: "bank", effect: 1 }] },
    ]);
    expect(hits[0]?.reasons[0]?.text).toBe("bank: the BIC ZOTVRUMM is listed");
  });

  it("makes a name alone a review at most", () => {
    const { hits } = screened({ name: "Zotavik Quellar Bank" });
    expect(hits[0]?.reasons.at(-1)?.text).toBe(
      "bank or custodian: a match by name alone leads to a review, not a block",
    );
  });

  it("is found again by the keys of a changed entry, by BIC and by name", () => {
    if (bankEntry === undefined) throw new Error("no entry");
    const keys = entryKeys(bankEntry);
    for (const bank of [
      { ...unknown, bic: "ZOTVRUMM123" },
      { ...unknown, name: "Zotavik Quellar Bank Limassol" },
    ]) {
      expect(requestKeys(request(bank)).isDisjointFrom(keys)).toBe(false);
    }
    const other = { ...unknown, name: "First", bic: "CHASUS33" };
    expect(requestKeys(request(other)).isDisjointFrom(keys)).toBe(true);
  });

  it("has a decision of its own, equal for a branch's BIC and other spaces", () => {
    const wallet = { families: [], address: "w" };
    const form = (bank: Partial<Bank>) =>
      screenedForm({ parties: [], wallets: [wallet], banks: [{ ...unknown, ...bank }] }, 1);
    expect(form({ name: "First  Bank", bic: "CHASUS33" })).toBe(
      form({ name: "first bank", bic: "CHASUS33XXX" }),
    );
    expect(form({ name: "First Bank", bic: "CHASUS44" })).not.toBe(
      form({ name: "First Bank", bic: "CHASUS33" }),
    );
  });
});
