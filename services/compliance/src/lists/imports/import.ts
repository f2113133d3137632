import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { reportRejection } from "@disburse/chassis/rejections.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { isRefused, otherContent, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import {
  type ImportDocument,
  type ImportRequest,
  importedVersion,
  noneRetained,
  type Retained,
} from "../documents.ts";
import { itself, type Removals } from "../removals/removals.ts";
import { detailLossProblem, gapProblem, lossProblem, rewriteProblem } from "../rules/loss.ts";
import type { ListChange, ListVersion } from "../rules/version.ts";
import type { ListStore } from "../store.ts";
import type { ReceivedFiles } from "./files.ts";
import {
  abandonImport,
  beginImport,
  commitImport,
  type ImportRefused,
  refuseImport,
  stageImport,
  writeChunks,
} from "./steps.ts";
import type { ImportProblem, ImportWork, ReadWork } from "./work.ts";

/** How an import ended, as it is counted. */
export type ImportOutcome = "imported" | "refused" | "overtaken" | "failed";

/** What imports need. */
export type ImportDeps = {
  readonly lists: ListStore;
  readonly clock: Clock;
  /** Counts how an import ended; a repeat does not count. */
  readonly ended: (list: string, outcome: ImportOutcome) => void;
  /** Brings the index to the lists in force. */
  readonly refresh: () => Promise<void>;
  readonly log: Log;
  /** Lets an import through whose files look incomplete, once a second person has approved it. */
  readonly permit: ServiceApprovals["permit"];
  readonly removals: Pick<Removals, "isRejected" | "follow" | "waiting">;
};

/** An import that came into force. */
export type Imported = {
  readonly version: ListVersion;
  readonly change: ListChange;
  /** Forms of entries in force that wait for a person to confirm that they go. */
  readonly retained: number;
  /** What could not be read and is no reason to refuse the list. */
  readonly notes: readonly string[];
};

/** Longer than any that a reader writes; one line of a log. */
const problemLengthMax = 500;

/**
 * Replaces a list: it is read and compared in another thread, its new chunks are written while the
 * old version stays in force, then one write switches. A refusal or a failure on the way leaves
 * the old version as it was; a refused import is kept with its reason.
 */
export async function importList(
  deps: ImportDeps,
  request: ImportRequest,
  received: ReceivedFiles,
): Promise<Imported | ImportRefused> {
  const { lists, clock } = deps;
  const started = await beginImport(lists.collections, request, clock.now());
  if (isRefused(started)) return started;
  if ("repeated" in started) {
    const isSame = started.repeated.checksum === received.checksum;
    return isSame ? importedOf(started.repeated) : otherContent;
  }
  const { begun } = started;
  try {
    const answer = await readAndSwitch(deps, begun, request, received);
    deps.ended(request.list, outcomeOf(answer));
    return answer;
  } catch (error) {
    deps.ended(request.list, readRefusal(error) === undefined ? "failed" : "refused");
    // The caller gets the cause; an import that cannot be abandoned now is swept later.
    await abandonImport(lists.collections, begun, clock.now()).catch(() => undefined);
    throw error;
  }
}

/** Logs an import, indexes it now, and proposes what it removes; a sweep does what fails here. */
export async function announceImport(deps: ImportDeps, imported: Imported): Promise<void> {
  const { log, refresh, removals } = deps;
  const { change, notes, retained } = imported;
  const { list, version } = imported.version;
  log.info({ list, version, ...change, retained, notes: notes.length }, "list imported");
  await refresh().catch((error: unknown) => {
    log.error({ err: error, list }, "imported list could not be read yet");
  });
  if (retained === 0) return;
  await removals.follow(list).catch((error: unknown) => {
    log.error({ err: error, list }, "removal not proposed yet");
  });
}

function outcomeOf(answer: Imported | ImportRefused): ImportOutcome {
  if (!isRefused(answer)) return "imported";
  return answer.refused === "INVALID_REQUEST" ? "refused" : "overtaken";
}

function importedOf(done: ImportDocument): Imported {
  const { change, notes, retained } = done;
  return { version: importedVersion(done), change, notes, retained: retained.forms };
}

async function readAndSwitch(
  deps: ImportDeps,
  begun: ImportDocument,
  request: ImportRequest,
  { files, checksum }: ReceivedFiles,
): Promise<Imported | ImportRefused> {
  const { lists, clock } = deps;
  const { list, format } = request;
  const replaced = await lists.switchedImport(begun.base_import_id);
  const base = await lists.readChunks(replaced?.chunks ?? []);
  const retained = await lists.readChunks(replaced?.retained.chunks ?? []);
  const read = await readImportApart({ list, format, files, base, retained });
  if ("problem" in read) return refuse(deps, begun, read.problem, { checksum });
  const { entries, change, chunks, notes } = read;
  const problem = problemOf(read, request);
  if (problem !== undefined) {
    return refuse(deps, begun, `files: ${problem}`, { checksum, entries, change });
  }
  const gap = gapProblem(read.gaps, "");
  const permitted =
    gap === undefined
      ? undefined
      : await permitGap(deps, begun, request, { checksum, entries, change, problem: gap });
  const whole = {
    entries,
    checksum,
    change,
    chunks,
    notes,
    retained: await retainedOf(deps, begun, request, { read, before: replaced?.retained }),
  };
  const staged = await stageImport(lists.collections, begun, whole, clock.now());
  if (staged !== undefined) return staged;
  await writeChunks(lists.collections, read.fresh, clock.now());
  const done = await commitImport(lists.collections, begun, clock.now());
  if (isRefused(done)) return done;
  await permitted?.();
  return importedOf(done);
}

/**
 * Why an import is refused. A file of another list, or half of one, is noticed by what it loses.
 * A source is not refused for that: what it adds has to be in force, and what it loses stays.
 */
function problemOf(read: ReadWork, { acceptDropReason, isPublished }: ImportRequest) {
  const gap = gapProblem(read.gaps, acceptDropReason);
  if (gap !== undefined || isPublished) return gap;
  const { entries, change } = read;
  const inForce = entries - change.added + change.removed;
  return (
    lossProblem(change, inForce, acceptDropReason) ??
    detailLossProblem(read.detailLoss, acceptDropReason) ??
    rewriteProblem(read.rewritten, inForce, acceptDropReason)
  );
}

/**
 * What an import retains. It waits since the oldest of it waits, so that imports that follow one
 * another do not put off the alarm; what a person rejected begins to wait anew.
 */
async function retainedOf(
  { removals, clock }: ImportDeps,
  begun: ImportDocument,
  { isPublished, actor }: ImportRequest,
  { read, before }: { readonly read: ReadWork; readonly before: Retained | undefined },
): Promise<Retained> {
  if (read.retained.forms === 0) return noneRetained;
  const since = (await removals.isRejected(begun.base_import_id)) ? undefined : before?.since;
  const by = isPublished ? itself : actor;
  return { ...read.retained, since: since ?? clock.now(), by };
}

type AcceptedGap = Required<Pick<ReadWork, "entries" | "change">> & {
  readonly checksum: string;
  readonly problem: string;
};

/**
 * Asks whether a second person has approved an import whose files look incomplete: of this file
 * against this version in force. What such a list does not add is in force nowhere. Until then it
 * is refused, and its operation may be tried again.
 */
async function permitGap(
  deps: ImportDeps,
  begun: ImportDocument,
  { list, version, operationId, acceptDropReason: reason }: ImportRequest,
  { checksum, entries, change, problem }: AcceptedGap,
) {
  const after = { list, version, checksum, entries, ...change, reason };
  const difference = {
    before: JSON.stringify({ list, import: begun.base_import_id }),
    after: JSON.stringify(after),
  };
  const content = createHash("sha256").update(JSON.stringify(difference)).digest("base64url");
  try {
    return await deps.permit({
      rpc: `${ComplianceService.typeName}/ImportList`,
      merchantId: "",
      operationId,
      subject: list,
      content,
      ...difference,
      reasons: [problem],
      approvers: ["compliance_approver"],
    });
  } catch (error) {
    const waits = `files: wait for a second person: ${problem}`.slice(0, problemLengthMax);
    const read = { checksum, entries, change };
    await refuseImport(deps.lists.collections, begun, waits, read, deps.clock.now());
    throw error;
  }
}

async function refuse(
  { lists, clock }: ImportDeps,
  begun: ImportDocument,
  problem: string,
  read: { checksum: string } & Partial<Pick<ReadWork, "entries" | "change">>,
): Promise<ImportRefused> {
  const short = problem.slice(0, problemLengthMax);
  await refuseImport(lists.collections, begun, short, read, clock.now());
  return refused("INVALID_REQUEST", short);
}

const limits = {
  /** Well under the silence after which an import counts as dead; public lists take a second. */
  timeoutMs: 90_000,
  /** Ten times what the largest public list needs; past it the thread ends, not the process. */
  heapMegabytes: 1_536,
};

/** Reads a list in a thread of its own, which takes over the bytes of files and chunks. */
export function readImportApart(
  work: ImportWork,
  { timeoutMs, heapMegabytes } = limits,
): Promise<ReadWork | ImportProblem> {
  const handed = [...work.files, ...work.base].map(({ bytes }) => bytes.buffer);
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData: work,
    transferList: handed.filter((each) => each instanceof ArrayBuffer),
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve({ problem: `files: could not be read within ${timeoutMs / 1_000} s` });
      worker.terminate().catch(reportRejection);
    }, timeoutMs);
    worker.once("message", resolve);
    worker.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") reject(error);
      else resolve({ problem: "files: hold more than fits the memory" });
    });
    worker.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread that reads a list ended with ${code}`));
    });
  });
}
