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

/** The outcome of an import in its metric. */
export type ImportOutcome = "imported" | "refused" | "overtaken" | "failed";

export type ImportDeps = {
  readonly lists: ListStore;
  readonly clock: Clock;
  /** Counts the outcome of an import. A repeat is not counted. */
  readonly ended: (list: string, outcome: ImportOutcome) => void;
  /** Rebuilds the index with the lists in force. */
  readonly refresh: () => Promise<void>;
  readonly log: Log;
  /** Allows an import of files that look incomplete, after a second person has approved it. */
  readonly permit: ServiceApprovals["permit"];
  readonly removals: Pick<Removals, "isRejected" | "follow" | "waiting">;
};

/** An import that came into force. */
export type Imported = {
  readonly version: ListVersion;
  readonly change: ListChange;
  /** The number of retained forms, whose removal awaits a person's confirmation. */
  readonly retained: number;
  /** Unreadable details that do not cause a refusal. */
  readonly notes: readonly string[];
};

/**
 * The maximum length of a problem. It fits on one line of a log, and no reader's problem is longer.
 */
const problemLengthMax = 500;

/**
 * Replaces a list. A worker thread reads the new version and compares it with the old one. New
 * chunks are written while the old version stays in force. A single write then switches to the new
 * version. After a refusal or a failure, the old version stays in force. A refused import is stored
 * with its reason.
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
    const result = await readAndSwitch(deps, begun, request, received);
    deps.ended(request.list, outcomeOf(result));
    return result;
  } catch (error) {
    deps.ended(request.list, readRefusal(error) === undefined ? "failed" : "refused");
    // The error is thrown to the caller. If the import cannot be abandoned now, the sweep does it
    // later.
    await abandonImport(lists.collections, begun, clock.now()).catch(() => undefined);
    throw error;
  }
}

/**
 * Logs an import, indexes it, and proposes the removal of entries that it lost. If a step fails, a
 * sweep retries it.
 */
export async function announceImport(deps: ImportDeps, imported: Imported): Promise<void> {
  const { log, refresh, removals } = deps;
  const { change, notes, retained } = imported;
  const { list, version } = imported.version;
  log.info({ list, version, ...change, retained, notes: notes.length }, "sanctions list imported");
  await refresh().catch((error: unknown) => {
    log.error({ err: error, list }, "indexing an imported list failed; it will be retried");
  });
  if (retained === 0) return;
  await removals.follow(list).catch((error: unknown) => {
    log.error(
      { err: error, list },
      "proposing the removal of list entries failed; it will be retried",
    );
  });
}

function outcomeOf(result: Imported | ImportRefused): ImportOutcome {
  if (!isRefused(result)) return "imported";
  return result.refused === "INVALID_REQUEST" ? "refused" : "overtaken";
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
  const replaced = await lists.switchedImport(begun.base_import_id);
  const read = await readAgainst(lists, replaced, request, files);
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

type InForce = { readonly chunks: readonly string[]; readonly retained: Retained };

/** Reads files and compares them with a version of the list. */
async function readAgainst(
  lists: ListStore,
  inForce: InForce | undefined,
  { list, format }: ImportRequest,
  files: ReceivedFiles["files"],
) {
  const base = await lists.readChunks(inForce?.chunks ?? []);
  const retained = await lists.readChunks(inForce?.retained.chunks ?? []);
  return readImportApart({ list, format, files, base, retained });
}

/**
 * Compares files with the version in force, as their import would, and writes nothing. `problem` is
 * the reason for which an import needs a person's reason.
 */
export async function compareFiles(
  lists: ListStore,
  request: ImportRequest,
  { files }: ReceivedFiles,
) {
  const found = await lists.listInForce(request.list);
  const inForce = found && { chunks: found.published, retained: found.retained };
  const read = await readAgainst(lists, inForce, request, files);
  if ("problem" in read) return refused("INVALID_REQUEST", read.problem.slice(0, problemLengthMax));
  const problem = problemOf(read, { ...request, acceptDropReason: "" }) ?? "";
  const { change, retained, sample } = read;
  return { change, retained: retained.forms, sample, problem };
}

/**
 * Returns the reason to refuse an import. Many lost entries indicate a wrong or truncated file. A
 * list from its configured source is not refused for this reason: new entries come into force, and
 * lost ones are retained.
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
 * Returns the forms that an import retains. Their waiting time counts from the oldest form, so that
 * later imports do not delay the alert. If a person decided to keep the earlier forms, the waiting
 * time starts again.
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
 * Checks that a second person approved an import of files that look incomplete. The approval
 * applies to this file and the version now in force, because missing entries would not be in force
 * anywhere. Without an approval the import is refused, and its operation may be tried again.
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
    const waits = `files: a second person must approve the import: ${problem}`.slice(
      0,
      problemLengthMax,
    );
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
  /**
   * The time limit of reading. It is well below `importSilenceMaxMs`, after which an import counts
   * as crashed. Public lists take a second.
   */
  timeoutMs: 90_000,
  /**
   * The heap limit, ten times the need of the largest public list. If it is exceeded, only the
   * thread ends, not the process.
   */
  heapMegabytes: 1_536,
};

/** Reads a list in its own thread. The bytes of files and chunks are transferred, not copied. */
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
      else resolve({ problem: "files: need more memory than an import may use" });
    });
    worker.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread that reads the list ended with exit code ${code}`));
    });
  });
}
