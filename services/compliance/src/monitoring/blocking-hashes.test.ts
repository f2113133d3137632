import { expect, it } from "vitest";
import type { ListEntry } from "../lists/rules/entry.ts";
import { entryKeys, requestKeys } from "./blocking-hashes.ts";

const entry = (more: Partial<ListEntry>): ListEntry => ({
  ...{ uid: "1", source: "", type: "entity", names: [{ name: "Anything", kind: "primary" }] },
  ...{ births: [], countries: [], documents: [], wallets: [], programs: [], ...more },
});

it("a request shares a key with an entry of the same wallet, on any network of its family", () => {
  const address = "0x52908400098527886E0F7030069857D2E4169EE7";
  const listed = entry({ wallets: [{ currency: "BSC", address }] });
  const wallets = [{ families: ["evm"], address: address.toLowerCase() }] as const;
  const keys = requestKeys({ parties: [], wallets });
  expect(keys.isDisjointFrom(entryKeys(listed))).toBe(false);
  expect(keys.isDisjointFrom(entryKeys(entry({})))).toBe(true);
});

it("a request shares a key with an entry of a name like that of one of its parties", () => {
  const party = {
    type: "entity",
    name: "Anithing",
    date: "",
    countries: [],
    documents: [],
  } as const;
  const keys = requestKeys({ parties: [{ ...party, name: "Harlan" }, party], wallets: [] });
  expect(keys.isDisjointFrom(entryKeys(entry({})))).toBe(false);
});
