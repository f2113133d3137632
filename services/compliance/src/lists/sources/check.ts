import { randomInt, randomUUID } from "node:crypto";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import { fileBytesMax, receivedFiles } from "../imports/files.ts";
import { announceImport, type ImportDeps, importList } from "../imports/import.ts";
import { type FetchedFiles, fetchFiles } from "./fetch.ts";
import type { SourceSetting } from "./setting.ts";
import type { SourceState, SourceStore } from "./store.ts";

export type SourceDeps = ImportDeps & {
  readonly settings: readonly SourceSetting[];
  readonly store: SourceStore;
  /** Aborts a running fetch when the process stops. */
  readonly stop: AbortSignal;
  /** A source that takes longer counts as unreachable. */
  readonly timeoutMs?: number;
};

/** A source with the state of its last check. */
export type SourceStatus = {
  readonly setting: SourceSetting;
  readonly state: SourceState | undefined;
};

export type ListSources = ReturnType<typeof openSources>;

/**
 * The default time limit of a fetch. The largest public list takes seconds. The lease is at least
 * twice as long.
 */
const timeoutMsDefault = 120_000;
/** The number of steps of the random delay. More steps would make no difference. */
const chances = 1_000;
const itself: StoredActor = { kind: "service", id: "compliance" };
/** The problem shown to operators. It omits the cause, which may contain any text. */
const failedProblem = "the check failed because of an error in the service: see its log";

/** The result of a check, with the checksum and validators to store. */
type Found = Pick<SourceState, "outcome" | "problem" | "checksum" | "validators">;

export function openSources(deps: SourceDeps) {
  const known = async (): Promise<SourceStatus[]> => {
    const states = await deps.store.states();
    return deps.settings.map((setting) => ({ setting, state: states.get(setting.list) }));
  };
  return {
    list: known,

    /** Checks one source now, and imports its list if it differs from the one in force. */
    check: async (list: string, actor: StoredActor) => {
      const source = (await known()).find(({ setting }) => setting.list === list);
      return source === undefined ? refused("RECORD_NOT_FOUND") : checkSource(deps, source, actor);
    },

    /** Checks the sources that are due, one after the other, while `goOn` returns true. */
    checkDue: async (goOn: () => Promise<boolean>) => {
      const now = deps.clock.now();
      for (const source of await known()) {
        const isDue = source.state === undefined || source.state.nextCheckAt <= now;
        if (!isDue) continue;
        if (deps.stop.aborted || !(await goOn())) return;
        await checkSource(deps, source, itself);
      }
    },
  };
}

async function checkSource(
  deps: SourceDeps,
  { setting, state: before }: SourceStatus,
  actor: StoredActor,
): Promise<SourceStatus> {
  const { list } = setting;
  const found = await findChange(deps, setting, before, actor).catch((error: unknown): Found => {
    // The failure is recorded like a refusal, so that this source is retried later and does not
    // delay the others.
    deps.log.error(
      { err: error, list },
      "could not check the source of a sanctions list; the check will be retried",
    );
    return { outcome: "failed", problem: failedProblem, ...nothingKept };
  });
  const { outcome, problem } = found;
  const now = deps.clock.now();
  // A check that was interrupted by the end of this process has no result.
  const isBroken = outcome === "unreachable" || outcome === "failed";
  if (deps.stop.aborted && isBroken) return { setting, state: before };
  const failures = problem === "" ? 0 : (before?.failures ?? 0) + 1;
  const chance = randomInt(chances) / chances;
  const state: SourceState = {
    ...found,
    list,
    failures,
    checkedAt: now,
    nextCheckAt: nextCheckAt(now, setting.every_hours, failures, chance),
    confirmedAt: failures === 0 ? now : before?.confirmedAt,
  };
  await deps.store.save(state);
  if (failures > 0)
    deps.log.error(
      { list, outcome, problem, failures },
      "sanctions list could not be updated from its source",
    );
  else deps.log.info({ list, outcome }, "source of a sanctions list checked");
  return { setting, state };
}

async function findChange(
  deps: SourceDeps,
  setting: SourceSetting,
  before: SourceState | undefined,
  actor: StoredActor,
): Promise<Found> {
  const { checksum: inForce } = (await deps.lists.listInForce(setting.list))?.version ?? {};
  // The validators are valid only while the list in force is the file that they were sent with.
  const isKept = before !== undefined && before.checksum === inForce;
  const kept = isKept && isWanted(setting, before.checksum) ? before : nothingKept;
  const { checksum, validators } = kept;
  const timeoutMs = deps.timeoutMs ?? timeoutMsDefault;
  const limits = { bytesMax: fileBytesMax, timeoutMs, stop: deps.stop };
  const fetched = await fetchFiles(setting.files, validators, limits);
  if (fetched === "unchanged") return { outcome: fetched, problem: "", checksum, validators };
  if ("problem" in fetched) {
    return { outcome: "unreachable", problem: fetched.problem, checksum, validators };
  }
  return importFetched(deps, setting, fetched, inForce, actor);
}

/** True if the list has the configured checksum, or none is configured. */
function isWanted({ sha256 }: SourceSetting, checksum: string): boolean {
  return sha256 === undefined || sha256 === checksum;
}

const nothingKept = { checksum: "", validators: [] } as const;

async function importFetched(
  deps: SourceDeps,
  setting: SourceSetting,
  { files, validators, modifiedAt }: FetchedFiles,
  inForce: string | undefined,
  actor: StoredActor,
): Promise<Found> {
  const { list, format } = setting;
  const received = receivedFiles(files);
  const { checksum } = received;
  if (!isWanted(setting, checksum)) {
    const problem = `has the checksum ${checksum}, but the setting requires another one`;
    return { outcome: "refused", problem, ...nothingKept };
  }
  if (checksum === inForce) return { outcome: "unchanged", problem: "", checksum, validators };
  const version = modifiedAt?.toISOString() ?? `sha256-${checksum.slice(0, 16)}`;
  const request = { list, version, format, acceptDropReason: "", actor, isPublished: true };
  const operationId = `source:${randomUUID()}`;
  const imported = await importList(deps, { ...request, operationId }, received);
  if (isRefused(imported)) {
    // Validators of a refused file are not stored. The file is therefore fetched and refused again
    // until the publisher fixes it.
    const problem = imported.detail ?? "another import of this list came into force first";
    return { outcome: "refused", problem, ...nothingKept };
  }
  await announceImport(deps, imported);
  return { outcome: "imported", problem: "", checksum, validators };
}

/** The wait after a first failure. Each further failure doubles the wait. */
const firstRetryMs = 300_000;
const hourMs = 3_600_000;
/**
 * The random part of a wait, up to a tenth, so that many processes do not send requests at the same
 * moment.
 */
const jitterShare = 0.1;

/**
 * Returns the time of the next check: after the source's interval, or sooner after failures.
 * `failures` counts the latest consecutive failures. `chance` is a random number in [0, 1).
 */
export function nextCheckAt(now: Date, everyHours: number, failures: number, chance: number): Date {
  const everyMs = everyHours * hourMs;
  const waitMs =
    failures === 0 ? everyMs : Math.min(everyMs, firstRetryMs * 2 ** Math.min(failures - 1, 30));
  const jitter = 1 + jitterShare * (2 * chance - 1);
  return new Date(now.getTime() + Math.round(waitMs * jitter));
}
