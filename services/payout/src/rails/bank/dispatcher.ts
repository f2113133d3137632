import type { FileDocument } from "./documents.ts";
import { beginFile, type NewMessageId, writeFile } from "./files.ts";
import { recoverFile, type SendWork, sendFile, settleByTime } from "./sending.ts";
import { newMemory, receiveFiles, takeFiles } from "./taking.ts";

/** What the dispatcher of a rail works with. */
export type DispatchDeps = SendWork & {
  readonly newMessageId: NewMessageId;
  /** Whether operators have paused the rail: nothing is put into files, and none is sent. */
  readonly isPaused: () => Promise<boolean>;
  /** How often the bank's folder is looked at. */
  readonly receiveEveryMs: number;
};

/** Files that are begun in one run: each has as many payments as a file may have. */
const begunMax = 20;

/** Takes the payments of one rail to its bank, and what the bank says back to them. */
export function createDispatcher(deps: DispatchDeps) {
  const { rail, clock, log } = deps;
  const memory = newMemory();
  let receivedAt = 0;
  const receive = async () => {
    const now = clock.now().getTime();
    if (now - receivedAt < deps.receiveEveryMs) return;
    receivedAt = now;
    await receiveFiles(deps, memory);
  };
  return {
    /** One run; rejects where a part of it failed, and has left that as it was. */
    run: async (): Promise<void> => {
      const isPaused = await deps.isPaused();
      const failures: unknown[] = [];
      // One part that fails, as where the server is away, keeps no other from its turn.
      const part = (work: () => Promise<unknown>) =>
        work().catch((error: unknown) => void failures.push(error));
      if (!isPaused) await part(() => beginFiles(deps));
      await part(async () => {
        for (const file of await openFiles(deps)) await part(() => workOn(deps, file, isPaused));
      });
      await part(receive);
      await part(() => takeFiles(deps));
      await part(() => settleByTime(deps));
      for (const failure of failures.slice(1)) {
        log.error({ err: failure, rail }, "part of a run failed");
      }
      if (failures.length > 0) throw failures[0];
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

/** Takes a file one step on, or two: what is written is sent at once. */
async function workOn(deps: DispatchDeps, file: FileDocument, isPaused: boolean): Promise<void> {
  switch (file.state) {
    case "claiming": {
      await writeFile(deps, file);
      if (isPaused) return;
      const written = await deps.store.files.findOne({ _id: file._id, state: "written" });
      if (written !== null) await sendFile(deps, written);
      return;
    }
    case "written":
      return isPaused ? undefined : sendFile(deps, file);
    case "sending":
      return recoverFile(deps, file);
    default:
      return;
  }
}
