import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type EntryType, entryTypes } from "@disburse/name-matcher/entry.ts";
import { describe, expect, it } from "vitest";
import type { ListEntry } from "../rules/entry.ts";
import { csvRows } from "./csv-rows.ts";
import { type ListFile, unpackedFiles } from "./file-bytes.ts";
import { readList } from "./list-format.ts";

/** Public lists beside the project, if present. */
const folder = join(import.meta.dirname, "../../../../../../shared/data/sanctions");
const hasLists = existsSync(join(folder, "lists"));

function file(path: string, name = ""): ListFile {
  return { name, bytes: readFileSync(join(folder, path)) };
}

function entriesOf(format: string, ...files: readonly ListFile[]): readonly ListEntry[] {
  const list = readList(format, files);
  if ("problem" in list) throw new Error(list.problem);
  return list.entries;
}

function countsOf(entries: readonly ListEntry[]): readonly number[] {
  const count = (type: EntryType) => entries.filter((entry) => entry.type === type).length;
  return entryTypes.map(count);
}

/** Reads every row of an OFAC file. */
function rowsOf(path: string): readonly (readonly string[])[] {
  const [unpacked] = unpackedFiles([file(path)], 1e9);
  return unpacked === undefined ? [] : csvRows(unpacked, ",").map(({ cells }) => cells);
}

const sdn = "lists/ofac_sdn";
// The aliases nearest to the list's own day, and the comments that continue all its remarks.
const sdnFiles = () => [
  file(`${sdn}/sdn_2024-05-03.csv.gz`, "primary"),
  file(`${sdn}/alt_2024-01-08.csv.gz`, "alternates"),
  file(`${sdn}/add_2024-01-08.csv.gz`, "addresses"),
  file(`${sdn}/sdn_comments_2025-02-27.csv.gz`, "comments"),
];

describe.skipIf(!hasLists)("the public lists beside the project", () => {
  const entries = hasLists ? entriesOf("ofac_csv", ...sdnFiles()) : [];
  const byUid = new Map(entries.map((entry) => [entry.uid, entry]));

  it("has every entry of the SDN list", () => {
    expect(countsOf(entries)).toEqual([6_854, 6_884, 851, 376]);
  });

  it("finds every listed wallet whose entry is known, at that entry", () => {
    type Listed = { address: string; uids: string[]; sources: string[] };
    const text = readFileSync(join(folder, "lists/crypto/addresses_merged.jsonl"), "utf8");
    const all = text.trim().split("\n");
    const listed = all.map((line) => JSON.parse(line) as Listed);
    const known = listed.filter(({ uids }) => uids.length > 0);
    // The other 59 of the 641 come from a later list, which names no entry for them.
    expect([listed.length, known.length]).toEqual([641, 582]);
    const missing = known.filter(({ address, uids }) =>
      uids.some((uid) => {
        const wallets = byUid.get(uid.replace("ofac:", ""))?.wallets ?? [];
        return wallets.every((wallet) => wallet.address !== address);
      }),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    ["2024-01-08", 17_091],
    ["2025-02-27", 19_486],
    ["2025-12-24", 20_107],
  ])("reads every alias of %s", (day, count) => {
    expect(rowsOf(`${sdn}/alt_${day}.csv.gz`)).toHaveLength(count);
  });

  it("keeps every alias and every country of an address", () => {
    const lost = rowsOf(`${sdn}/alt_2024-01-08.csv.gz`).filter(([uid = "", , , name = ""]) => {
      const names = byUid.get(uid)?.names;
      return names?.every((each) => each.name !== name.replace(/\s+/g, " ").trim());
    });
    expect(lost).toEqual([]);
    const without = rowsOf(`${sdn}/add_2024-01-08.csv.gz`)
      .filter(([uid = "", , , , country = ""]) => {
        return country.trim() !== "-0-" && byUid.get(uid)?.countries.length === 0;
      })
      .map(([, , , , country = ""]) => country);
    expect(new Set(without)).toEqual(new Set(["undetermined", "Region: Kafia Kingi"]));
  });

  it.each([
    ["sdn_2024-02-23.csv.gz", 14_484],
    ["sdn_2024-04-26.csv.gz", 14_668],
    ["sdn_2024-05-01.csv.gz", 14_966],
    ["sdn_2024-05-02.csv.gz", 14_973],
  ])("reads the snapshot %s", (name, count) => {
    expect(entriesOf("ofac_csv", file(`${sdn}/history/${name}`, "primary"))).toHaveLength(count);
  });

  it("refuses the download that came out empty", () => {
    const empty = readdirSync(join(folder, sdn, "history")).find((name) => name.includes("empty"));
    const list = readList("ofac_csv", [file(`${sdn}/history/${empty}`, "primary")]);
    expect(list).toEqual({ problem: "primary: must have at least one entry" });
  });

  it("refuses comments of a day when a wallet's entry was no longer listed", () => {
    const comments = file(`${sdn}/sdn_comments_2025-12-24.csv.gz`, "comments");
    expect(readList("ofac_csv", [...sdnFiles().slice(0, 1), comments])).toEqual({
      problem: expect.stringContaining(
        "has truncated remarks that the comments file does not continue",
      ),
    });
  });

  it("has every entry of OFAC's consolidated list", () => {
    const cons = (name: string) => `lists/ofac_consolidated/cons_${name}_2025-12-19.csv`;
    const files = [file(cons("prim"), "primary"), file(cons("alt"), "alternates")];
    const more = [file(cons("add"), "addresses"), file(cons("comments"), "comments")];
    expect(countsOf(entriesOf("ofac_csv", ...files, ...more))).toEqual([79, 363, 0, 0]);
  });

  it("has every entry of the Security Council's list", () => {
    const list = file("lists/un/un_consolidated_2026-02-27.xml.gz");
    expect(countsOf(entriesOf("un_xml", list))).toEqual([730, 273, 0, 0]);
  });

  it("has every entry of the query set's index, the EU's 5,307 among them", () => {
    const index = entriesOf("json_lines", file("index_dev.jsonl.gz"));
    expect(index).toHaveLength(21_717);
    expect(index.filter(({ source }) => source === "eu")).toHaveLength(5_307);
  });
});
