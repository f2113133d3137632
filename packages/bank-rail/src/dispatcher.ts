import type { FileDocument } from "./documents.ts";
import { beginFile, type NewMessageId, returnPayments, writeFile } from "./files.ts";
import { releaseByStatements, settleBySilence } from "./incoming/silence.ts";
import { newMemory, processFiles, receiveFiles } from "./incoming/taking.ts";
import { recoverFile, type SendWork, sendFile } from "./sending.ts";

export type DispatchDeps = SendWork & {
  readonly newMessageId: NewMessageId;
  /** True while operators have paused the rail. A paused rail begins no file and sends none. */
  readonly isPaused: () => Promise<boolean>;
  /** The interval between polls of the bank's folder. */
  readonly receiveEveryMs: number;
  /**
   * The number of banking days whose statements prove that a rejected payment was not executed. If
   * absent, statements prove nothing.
   */
  readonly unpaidAfterBankDays?: number | undefined;
};

/** The maximum number of files that one run begins. */
const begunMax = 20;
/**
 * The pause after a failure of the bank's server. Banks block clients that reconnect every second.
 */
const restMs = 30_000;
/** The pause before the rail retries a bank file that could not be written or read. */
const againMs = 60_000;

/** Sends the payments of one rail to its bank and applies the bank's responses to them. */
export function createDispatcher(deps: DispatchDeps) {
  const { rail, clock, log } = deps;
  const folder = openFolder(deps);
  const nowMs = () => clock.now().getTime();
  let failedAt = -restMs;
  /** Runs work at the bank's server. A failure pauses all sessions. */
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
    /** Runs each part once. Rejects if a part failed. The next run retries that part. */
    run: async (): Promise<void> => {
      const isPaused = await deps.isPaused();
      const failures: unknown[] = [];
      // A failing part, for example an unreachable server, does not stop the others.
      const part = (work: () => Promise<unknown>) =>
        work().catch((error: unknown) => void failures.push(error));
      const take = async () => {
        await part(() => atServer(folder.receive));
        await part(() => processFiles(deps, folder.memory, againMs));
      };
      await part(() => returnPayments(deps));
      if (!isPaused) await part(() => beginFiles(deps));
      await part(async () => {
        for (const file of await openFiles(deps)) {
          await part(() => workOn(file, isPaused));
          // Fetches the bank's responses first, so that they do not wait for a backlog of uploads.
          await take();
        }
      });
      await take();
      await part(folder.conclude);
      for (const failure of failures.slice(1)) {
        log.error(
          { err: failure, rail },
          "a task of the bank rail failed; the next run retries it",
        );
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/**
 * Polls the folder with the bank's files. Also settles or rejects payments that the bank never
 * mentions.
 */
function openFolder(deps: DispatchDeps) {
  const { clock, receiveEveryMs, unpaidAfterBankDays } = deps;
  const memory = newMemory();
  let receivedMs = 0;
  /** The time of the last poll. `undefined` if that poll did not fetch every listed file. */
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
    /**
     * Settles or rejects payments that the bank does not mention, if the last poll fetched every
     * file.
     */
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
    // This file's payments must be claimed before the next file begins.
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

/**
 * Sends a written file. If the process that was sending the file died, finds out whether the file
 * was sent.
 */
function sendOn(deps: DispatchDeps, file: FileDocument): Promise<void> {
  return file.state === "written" ? sendFile(deps, file) : recoverFile(deps, file);
}
