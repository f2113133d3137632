import { expect, it } from "vitest";
import { innocentInitials, listedInitials } from "./initials.ts";
import type { ListedEntry, Query } from "./query-set.ts";

const entry = (uid: string, name: string, type: "individual" | "entity"): ListedEntry => ({
  ...{ uid, type, names: [{ name, kind: "primary" }] },
  ...{ births: [], countries: [], documents: [] },
});
const other = (name: string): Query => ({
  ...{ id: name, kind: "neg", expected: null, accept: [] },
  party: { type: "individual", name, date: "", countries: [], documents: [] },
});

const written = (queries: readonly Query[]) =>
  queries.map(({ kind, party, expected }) => [kind, party.name, expected]);

it("writes listed persons with initials", () => {
  const queries = listedInitials([
    entry("e1", "ZEMBLING, Qorvath Ulvanovich", "individual"),
    entry("e2", "ZEMBLING, Qorvath", "individual"),
    entry("e3", "ZEMBLING, Qorvath Shipping", "entity"),
  ]);
  expect(written(queries)).toEqual([
    ["initials_s_family", "Q. ZEMBLING", "e1"],
    ["initials_sp_family", "Q.U. ZEMBLING", "e1"],
    ["initials_family_sp", "ZEMBLING Q.U.", "e1"],
    ["initials_joined", "QU ZEMBLING", "e1"],
  ]);
});

it("writes other persons with initials", () => {
  const names = ["Mila Priya Walker", "Anna Okello", "Madonna"];
  expect(written(innocentInitials(names.map(other)))).toEqual([
    ["neg_initials_s_family", "M. Walker", null],
    ["neg_initials_sp_family", "M.P. Walker", null],
    ["neg_initials_family_sp", "Walker M.P.", null],
    ["neg_initials_joined", "MP Walker", null],
    ["neg_initials_s_family", "A. Okello", null],
    ["neg_initials_sp_family", "A.P. Okello", null],
    ["neg_initials_family_sp", "Okello A.P.", null],
    ["neg_initials_joined", "AP Okello", null],
  ]);
});
