import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ListFormat,
  Party_Type,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { readList } from "../lists/formats/list-format.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import {
  importFiles,
  mutation,
  type Rpc,
  refusalOf,
  type TestCompliance,
  testCompliance,
} from "../test-compliance.ts";
import type { SubjectDocument } from "./document.ts";

/** Snapshots of a public list beside the project, if present. */
const folder = join(import.meta.dirname, "../../../../../shared/data/sanctions/lists/ofac_sdn");
const files: readonly (readonly [day: string, file: string])[] = [
  ["2024-02-23", "history/sdn_2024-02-23.csv.gz"],
  ["2024-04-26", "history/sdn_2024-04-26.csv.gz"],
  ["2024-05-01", "history/sdn_2024-05-01.csv.gz"],
  ["2024-05-02", "history/sdn_2024-05-02.csv.gz"],
  ["2024-05-03", "sdn_2024-05-03.csv.gz"],
];
const empty = join(folder, "history/sdn_2024-05-04_empty.csv");
const hasHistory = existsSync(empty) && files.every(([, file]) => existsSync(join(folder, file)));

let test: TestCompliance;
beforeAll(async () => {
  test = await testCompliance();
});
afterAll(() => test.end());

type Day = {
  readonly day: string;
  readonly bytes: Buffer;
  readonly entries: Map<string, ListEntry>;
};

function readDay([day, file]: (typeof files)[number]): Day {
  const bytes = readFileSync(join(folder, file));
  const list = readList("ofac_csv", [{ name: "primary", bytes }]);
  if ("problem" in list) throw new Error(list.problem);
  return { day, bytes, entries: new Map(list.entries.map((entry) => [entry.uid, entry])) };
}

type Watched = { readonly record: string; readonly type: Party_Type; readonly name: string };

const partyTypes = { individual: Party_Type.INDIVIDUAL, entity: Party_Type.ENTITY } as const;

/** Some entries that are on one day's list but not on the other's. */
function picks(from: Day, without: Day, how: string): Watched[] {
  const all = [...from.entries.values()].filter(({ uid }) => !without.entries.has(uid));
  const step = Math.ceil(all.length / 8);
  return all
    .filter((_, at) => at % step === 0)
    .flatMap(({ uid, type, names }) =>
      type === "individual" || type === "entity"
        ? [{ record: `${how}-${uid}`, type: partyTypes[type], name: names[0]?.name ?? "" }]
        : [],
    );
}

/** Invented names from words of real ones. */
const others = Array.from({ length: 60 }, (_, at): Watched => {
  const given = ["Marisol", "Edwin", "Priya", "Tomasz", "Aiko", "Farid", "Ingrid"][at % 7];
  const family = ["Brannigan", "Oyelaran", "Lindqvist", "Castellanos", "Whitcombe"][at % 5];
  const middle = ["Joan", "Petr", "Amal"][at % 3];
  return {
    ...{ record: `other-${at}`, type: Party_Type.INDIVIDUAL },
    name: `${given} ${middle} ${family}`,
  };
});

async function screened(rpc: Rpc, { record, type, name }: Watched, isWatched = true) {
  const { screening } = await rpc.screenParty({
    mutation: mutation(),
    subject: { merchantId: "mer_1", recordId: isWatched ? record : "" },
    parties: [{ type, name }],
  });
  return screening?.verdict ?? Verdict.UNSPECIFIED;
}

const subjects = () => test.database.db.collection<SubjectDocument>("subjects");
const codes = { clear: Verdict.CLEAR, review: Verdict.REVIEW, block: Verdict.BLOCK };

/**
 * Brings a day's list into force, confirms its removals, and waits until all subjects were compared
 * with it. Returns the numbers of its entries and of those added, changed and removed.
 */
async function bring(rpc: Rpc, { day, bytes }: Day): Promise<unknown[]> {
  const header = { list: "ofac_sdn", version: day, format: ListFormat.OFAC_CSV };
  const before = await subjects().distinct("stamp");
  const { version, change } = await importFiles(rpc, header, { primary: bytes, alternates });
  const counts = [day, version?.entries, change?.added, change?.changed, change?.removed];
  if (before.length === 0) return counts;
  const imported = await comparedAfter(before);
  if ((await test.approveAll()) > 0) await comparedAfter(imported);
  return counts;
}

/** Waits until all subjects have one stamp that differs from the previous one. */
async function comparedAfter(before: readonly unknown[]): Promise<unknown[]> {
  return vi.waitFor(
    async () => {
      const stamps = await subjects().distinct("stamp");
      expect(stamps).toHaveLength(1);
      expect(stamps).not.toEqual(before);
      return stamps;
    },
    { timeout: 30_000, interval: 50 },
  );
}

/**
 * The aliases of these days were not archived, so this file has one of no entry and the end mark.
 */
const alternates = new TextEncoder().encode('1,1,"aka","NONE",-0- \r\n\u001a');

const verdictsNow = async () =>
  new Map((await subjects().find().toArray()).map((each) => [each.record_id, codes[each.verdict]]));

it.skipIf(!hasHistory)(
  "stops and clears people on the very days that OFAC lists and delists them",
  { timeout: 900_000 },
  async () => {
    // Read before the service starts: reading blocks the thread, so its commands would time out.
    const days = files.map(readDay);
    const rpc = await test.start();
    const [first] = days as [Day, ...Day[]];
    const changes = days.slice(1).map((day, at) => {
      const before = days[at] ?? first;
      const [added, removed] = [picks(day, before, "added"), picks(before, day, "removed")];
      const size = [...before.entries.keys(), ...day.entries.keys()];
      const isDaily = new Set(size).size - Math.min(before.entries.size, day.entries.size) < 10;
      return { day, added, removed, isDaily };
    });
    const counts = [await bring(rpc, first)];
    const watched = [...changes.flatMap(({ added, removed }) => [...added, ...removed]), ...others];
    const everyone = [...new Map(watched.map((each) => [each.record, each])).values()];
    await Promise.all(everyone.map((each) => screened(rpc, each)));
    let stopped = 0;
    let cleared = 0;
    for (const { day, added, removed, isDaily } of changes) {
      const before = await verdictsNow();
      const eventsBefore = test.events.length;
      const start = new Date();
      counts.push(await bring(rpc, day));
      const now = await verdictsNow();
      const compared = await subjects().countDocuments({ compared_at: { $gt: start } });
      const summary = `${day.day}: ${compared} of ${everyone.length} subjects were compared whole\n`;
      process.stdout.write(summary);
      // This holds for a day with few changes; two months at once concern nearly every word.
      if (isDaily) expect(compared).toBeLessThan(everyone.length / 4);
      // Simulates that all subjects are requested again today.
      const rescreened = everyone.map(async (each): Promise<[string, Verdict]> => {
        return [each.record, await screened(rpc, each, false)];
      });
      expect(now).toEqual(new Map(await Promise.all(rescreened)));
      for (const { record } of added) expect(now.get(record)).not.toBe(Verdict.CLEAR);
      for (const { record } of removed) expect(before.get(record)).not.toBe(Verdict.CLEAR);
      const changed = everyone.filter(({ record }) => before.get(record) !== now.get(record));
      stopped += changed.filter(({ record }) => before.get(record) === Verdict.CLEAR).length;
      cleared += changed.filter(({ record }) => now.get(record) === Verdict.CLEAR).length;
      await vi.waitFor(
        () => expect(test.events.length - eventsBefore).toBe(changed.length),
        15_000,
      );
      const news = test.events
        .slice(eventsBefore)
        .map((event) => [event.subject?.recordId, event.verdict]);
      expect(new Map(news as [string, Verdict][])).toEqual(
        new Map(changed.map(({ record }) => [record, now.get(record)])),
      );
      expect(others.filter(({ record }) => now.get(record) !== Verdict.CLEAR)).toEqual([]);
    }
    expect(counts).toEqual([
      ["2024-02-23", 14_484, 14_484, 0, 0],
      ["2024-04-26", 14_668, 282, 30, 98],
      ["2024-05-01", 14_966, 298, 0, 0],
      ["2024-05-02", 14_973, 7, 0, 0],
      ["2024-05-03", 14_965, 0, 0, 8],
    ]);
    expect([stopped, cleared].map((number) => number > 5)).toEqual([true, true]);
    const broken = { list: "ofac_sdn", version: "2024-05-04", format: ListFormat.OFAC_CSV };
    const refusal = await refusalOf(importFiles(rpc, broken, { primary: readFileSync(empty) }));
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST" });
    const { imports } = await rpc.listImports({ list: "ofac_sdn" });
    const states = imports.map(({ version, state }) => [version?.version, state]);
    expect(states.slice(0, 2)).toEqual([
      ["2024-05-04", "refused"],
      ["2024-05-03", "in_force"],
    ]);
  },
);
