import type { FileDocument } from "./documents.ts";
import { beginFile, type NewMessageId, returnPayments, writeFile } from "./files.ts";
import { recoverFile, type SendWork, sendFile } from "./sending.ts";
import { releaseByStatements, settleBySilence } from "./silence.ts";
import { newMemory, receiveFiles, takeFiles } from "./taking.ts";

/** What the dispatcher of a rail works with. */
export type DispatchDeps = SendWork & {
  readonly newMessageId: NewMessageId;
  /** Whether operators have paused the rail: nothing is put into files, and none is sent. */
  readonly isPaused: () => Promise<boolean>;
  /** How often the bank's folder is looked at. */
  readonly receiveEveryMs: number;
  /** Banking days of statements that prove a rejected payment unpaid; absent: none do. */
  readonly unpaidAfterBankDays?: number | undefined;
};

/** Files that are begun in one run: each has as many payments as a file may have. */
const begunMax = 20;
/** A server that failed is left alone for so long: banks shut out who knocks every second. */
const restMs = 30_000;
/** What failed for its content, as by a profile that does not fit, is tried again after so long. */
const againMs = 60_000;

/** Takes the payments of one rail to its bank, and what the bank says back to them. */
export function createDispatcher(deps: DispatchDeps) {
  const { rail, clock, log } = deps;
  const folder = openFolder(deps);
  const nowMs = () => clock.now().getTime();
  let failedAt = -restMs;
  /** Work at the bank's server; its failure is every session's. */
  const atServer = async (work: () => Promise<void>) => {
    if (nowMs() - failedAt < restMs) return;
    try {
      await work();
    } catch (error) {
      failedAt = nowMs();
      throw error;
    }
  };
  const workOn = async (file: FileDocument, isPaused: boolean) => {
    if (file.state !== "claiming") {
      const isHeld = isPaused && file.state === "written";
      return isHeld ? undefined : atServer(() => sendOn(deps, file));
    }
    const triedMs = file.problems === undefined ? 0 : file.updated_at.getTime();
    if (nowMs() - triedMs < againMs) return;
    await writeFile(deps, file);
    const written = await deps.store.files.findOne({ _id: file._id, state: "written" });
    if (written !== null && !isPaused) await atServer(() => sendOn(deps, written));
  };
  return {
    /** One run; rejects where a part of it failed, and has left that as it was. */
    run: async (): Promise<void> => {
      const isPaused = await deps.isPaused();
      const failures: unknown[] = [];
      // One part that fails, as where the server is away, keeps no other from its turn.
      const part = (work: () => Promise<unknown>) =>
        work().catch((error: unknown) => void failures.push(error));
      const take = async () => {
        await part(() => atServer(folder.receive));
        await part(() => takeFiles(deps, folder.memory, againMs));
      };
      await part(() => returnPayments(deps));
      if (!isPaused) await part(() => beginFiles(deps));
      await part(async () => {
        for (const file of await openFiles(deps)) {
          await part(() => workOn(file, isPaused));
          // Uploads of a backlog do not hold up what the bank says.
          await take();
        }
      });
      await take();
      await part(folder.conclude);
      for (const failure of failures.slice(1)) {
        log.error({ err: failure, rail }, "part of a run failed");
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The folder of the bank's files, and what follows from the last looks into it. */
function openFolder(deps: DispatchDeps) {
  const { clock, receiveEveryMs, unpaidAfterBankDays } = deps;
  const memory = newMemory();
  let receivedMs = 0;
  /** The time of the last poll if it fetched every listed file; else `undefined`. */
  let readAt: Date | undefined;
  return {
    memory,
    receive: async () => {
      const nowMs = clock.now().getTime();
      if (nowMs - receivedMs < receiveEveryMs) return;
      receivedMs = nowMs;
      readAt = undefined;
      readAt = await receiveFiles(deps, memory);
    },
    /** Draws conclusions from silence, if the last poll fetched every file. */
    conclude: async () => {
      if (readAt === undefined) return;
      await settleBySilence(deps, readAt);
      if (unpaidAfterBankDays === undefined) return;
      await releaseByStatements(deps, unpaidAfterBankDays, readAt);
    },
  };
}

async function beginFiles(deps: DispatchDeps): Promise<void> {
  for (let begun = 0; begun < begunMax; begun += 1) {
    const file = await beginFile(deps, deps.newMessageId);
    if (file === undefined) return;
    // Before the next one is begun: what it has claimed waits no more.
    if (file !== "planned anew") await writeFile(deps, file);
  }
}

function openFiles({ store, rail }: DispatchDeps): Promise<FileDocument[]> {
  const states = ["claiming", "written", "sending"] as const;
  return store.files
    .find({ open: rail, state: { $in: [...states] } })
    .sort({ created_at: 1 })
    .toArray();
}

/** Sends a written file, or finds out what became of one. */
function sendOn(deps: DispatchDeps, file: FileDocument): Promise<void> {
  return file.state === "written" ? sendFile(deps, file) : recoverFile(deps, file);
}
