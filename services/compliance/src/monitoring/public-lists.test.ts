import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import { hasQuerySet, queriesOf, queryFile } from "@disburse/name-matcher/measure/query-set.ts";
import { describe, expect, it } from "vitest";
import { indexLists } from "../index/build.ts";
import { packEntries } from "../lists/chunks.ts";
import { readList } from "../lists/formats/list-format.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import { measuredVersion } from "../measure/measured-store.ts";
import type { Finding } from "../screening/rules/hit.ts";
import { screen } from "../screening/rules/screening.ts";
import { entryKeys, requestKeys } from "./blocking-hashes.ts";

const folder = join(
  import.meta.dirname,
  "../../../../../shared/data/sanctions/lists/ofac_sdn/history",
);
const isHere = hasQuerySet && existsSync(folder);
const reason = isHere ? "" : " (skipped: ../shared/data/sanctions is not here)";

function snapshot(day: string): readonly ListEntry[] {
  const bytes = readFileSync(join(folder, `sdn_${day}.csv.gz`));
  const list = readList("ofac_csv", [{ name: "primary", bytes }]);
  if ("problem" in list) throw new Error(list.problem);
  return list.entries;
}

const inForce = (entries: readonly ListEntry[]) =>
  indexLists([{ version: measuredVersion, chunks: packEntries("measured", entries) }]);

const everyNth = <T>(all: readonly T[], nth: number) => all.filter((_, at) => at % nth === 0);

/** Entries of one snapshot that the other one lacks or has in another form. */
function unlike(some: readonly ListEntry[], others: readonly ListEntry[]): ListEntry[] {
  const known = new Map(others.map((entry) => [entry.uid, JSON.stringify(entry)]));
  return some.filter((entry) => known.get(entry.uid) !== JSON.stringify(entry));
}

const partyOf = ({ type, names }: ListEntry): Party => ({
  ...{ type, name: names[0]?.name ?? "", date: "", countries: [], documents: [] },
});

const found = ({ verdict, hits }: Finding): string =>
  JSON.stringify([
    verdict,
    hits.map((hit) => [hit.entryUid, hit.entryFingerprint, hit.verdict]).sort(),
  ]);

describe.skipIf(!isHere)(`blocking keys on two months of a public list${reason}`, () => {
  it("name every subject for which a whole rescreening would find something else", {
    timeout: 120_000,
  }, () => {
    const [before, after] = [snapshot("2024-02-23"), snapshot("2024-04-26")];
    const [gone, fresh] = [unlike(before, after), unlike(after, before)];
    const parties = [
      ...everyNth(queriesOf(queryFile), 6).map(({ party }) => party),
      ...everyNth([...gone, ...fresh], 3).map(partyOf),
    ];
    const [old, now] = [inForce(before), inForce(after)];
    const changedUids = new Set(fresh.map(({ uid }) => uid));
    const forms = [...fresh, ...gone.filter(({ uid }) => changedUids.has(uid))];
    const keys = new Set(forms.flatMap((entry) => [...entryKeys(entry)]));
    const goneUids = new Set(gone.map(({ uid }) => uid));
    const outcomes = parties.map((party) => {
      const request = { parties: [party], wallets: [] };
      const was = screen(request, old);
      const isNamed =
        !requestKeys(request).isDisjointFrom(keys) ||
        was.hits.some(({ entryUid }) => goneUids.has(entryUid));
      return { party, isNamed, isOther: found(was) !== found(screen(request, now)) };
    });
    expect(outcomes.filter(({ isOther }) => isOther).length).toBeGreaterThan(50);
    expect(outcomes.filter(({ isOther, isNamed }) => isOther && !isNamed)).toEqual([]);
    // The keys must not select nearly every subject, although each word of a name that a longer
    // name may contain is a key.
    expect(outcomes.filter(({ isNamed }) => !isNamed).length).toBeGreaterThan(90);
  });
});
