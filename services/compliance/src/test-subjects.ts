import { randomBytes } from "node:crypto";
import { createKeyedHashes, createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { matcherConfig } from "@disburse/name-matcher/config.ts";
import { buildMatcher } from "@disburse/name-matcher/matcher.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { buildBankIndex } from "./banks/rules/bank.ts";
import type { ListDifference } from "./lists/changed-entries.ts";
import type { ListEntry } from "./lists/rules/entry.ts";
import type { ListVersion } from "./lists/rules/version.ts";
import { migrations } from "./migrations.ts";
import { createBlockingHashes } from "./monitoring/blocking-hashes.ts";
import { type SubjectDocument, sealRequest, subjectFields } from "./monitoring/document.ts";
import type { MonitorDeps } from "./monitoring/round.ts";
import { openSubjectStore } from "./monitoring/store.ts";
import { comparedWith } from "./monitoring/subject-screening.ts";
import type { ScreeningRequest } from "./screening/request.ts";
import { screen } from "./screening/rules/screening.ts";
import type { ScreeningIndex } from "./screening/screening-index.ts";
import { openStore, type ScreeningDocument } from "./screening/store.ts";
import { buildWalletIndex } from "./wallets/rules/wallet.ts";

/** Helpers for tests of a monitoring round: one list in memory, and subjects in a database. */
const list = "test";
const encryptionKeys = `k1:${randomBytes(32).toString("base64")}`;

export const personEntry = (uid: string, name: string): ListEntry => ({
  ...{ uid, source: "", type: "individual", names: [{ name, kind: "primary" }] },
  ...{ births: [], countries: [], documents: [], wallets: [], programs: [] },
});

export const requestFor = (recordId: string, name: string): ScreeningRequest => ({
  subject: { merchantId: "mer_1", recordId },
  parties: [{ type: "individual", name, date: "", countries: [], documents: [] }],
  wallets: [],
  banks: [],
});

/** Builds an index of one list version in this thread. */
export function indexOf(version: string, entries: readonly ListEntry[]): ScreeningIndex {
  const listVersion: ListVersion = {
    ...{ list, version, importId: version, checksum: "", importedAt: new Date() },
    entries: entries.length,
  };
  const inForce = {
    lists: [listVersion],
    matcher: buildMatcher(entries, matcherConfig),
    wallets: buildWalletIndex(entries),
    banks: buildBankIndex(entries),
    listOf: () => listVersion,
  };
  return {
    lists: inForce.lists,
    configurationVersion: matcherConfig.version,
    configurationRevision: matcherConfig.revision,
    stamp: version,
    screen: async (request) => screen(request, inForce),
  };
}

/** An index with another revision of the matcher's configuration. */
export function numbered(index: ScreeningIndex, revision: number): ScreeningIndex {
  const configurationVersion = `numbers-${revision}`;
  const stamp = `${configurationVersion} ${index.stamp}`;
  return { ...index, configurationVersion, configurationRevision: revision, stamp };
}

export type TestSubjects = Awaited<ReturnType<typeof testSubjects>>;

/** A database of subjects, and a monitor that counts its work. */
export async function testSubjects(first: ScreeningIndex) {
  const database = await migratedDatabase("subjects", migrations);
  const sealer = createSealer(encryptionKeys);
  const hashes = createBlockingHashes(
    createKeyedHashes(encryptionKeys, "compliance reverse keys")[0],
  );
  let current = first;
  let next: ScreeningIndex | undefined;
  let difference: ListDifference = { list, added: [], changed: [], removed: [] };
  const counts = { opened: 0, screened: 0 };
  const deps: MonitorDeps = {
    store: openStore(database, sealer),
    subjects: openSubjectStore(database),
    watch: {
      current: () => current,
      refresh: async () => {
        current = next ?? current;
      },
    },
    alerts: {
      decisionsOf: async (_subject, { hits }) => {
        counts.screened += 1;
        return {
          ofHits: hits.map(() => ({ alertId: "", disposition: "undecided" })),
          standing: [],
        };
      },
      raise: async () => undefined,
    },
    hashes,
    sealer: {
      ...sealer,
      open: (sealed, context) => {
        if (context.endsWith("|subject")) counts.opened += 1;
        return sealer.open(sealed, context);
      },
    },
    clock: systemClock,
    log: silentLog,
    screened: () => undefined,
    compared: () => undefined,
    eventPending: () => undefined,
    changedEntries: async () => [difference],
    holdsLease: async () => true,
  };
  const subjects = database.db.collection<SubjectDocument>("subjects");
  return {
    deps,
    counts,
    subjects,
    screenings: database.db.collection<ScreeningDocument>("screenings"),
    /** Brings another version into force. */
    switchTo: (index: ScreeningIndex, changes: Partial<ListDifference>) => {
      current = index;
      difference = { list, added: [], changed: [], removed: [], ...changes };
    },
    /** Brings a version into force without this process having read it. */
    switchElsewhere: (index: ScreeningIndex) => {
      next = index;
    },
    /** Stores subjects that were clear under the index in force. */
    addClear: async (some: readonly ScreeningRequest[]) => {
      const at = new Date();
      const documents = some.map(
        async (request): Promise<SubjectDocument> => ({
          ...{ ...subjectFields(request.subject), ...comparedWith(current, hashes) },
          ...{ revision: 1, verdict: "clear", screening_id: "scr_1", entries: [], found: "clear" },
          ...{ screened_at: at, compared_at: at, sealed: sealRequest(request, sealer) },
          keys: await hashes.ofRequest(request),
        }),
      );
      await subjects.insertMany(await Promise.all(documents));
    },
    end: async () => {
      await database.db.dropDatabase();
      await database.close();
    },
  };
}
