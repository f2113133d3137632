import { afterCrash, type Place } from "@disburse/bank-files/sftp/after-crash.ts";
import type { RemoteFile } from "@disburse/bank-files/sftp/session.ts";
import { readContent } from "./contents.ts";
import type { BankStore, FileDocument } from "./documents.ts";
import { changeFile, type FileWork, updatePayments } from "./files.ts";
import { noteFindings } from "./incoming/findings.ts";

/** Operations in one session at the bank's server (`SftpSession` of bank-files). */
export type BankSession = {
  upload(
    folder: string,
    name: string,
    bytes: Uint8Array,
    mayRename: () => Promise<boolean>,
    attempt: number,
  ): Promise<"uploaded" | "present" | "held">;
  place(folder: string, name: string, archives: readonly string[], attempt: number): Promise<Place>;
  discard(folder: string, name: string, attempt: number): Promise<boolean>;
  list(folder: string): Promise<RemoteFile[]>;
  download(folder: string, file: RemoteFile, bytesMax: number): Promise<Uint8Array | undefined>;
};

/** Opens one session with one time limit for a unit of work. */
export type BankServer = {
  readonly inSession: <T>(work: (session: BankSession) => Promise<T>) => Promise<T>;
  readonly timeoutMs: number;
  readonly outgoing: string;
  readonly incoming: string;
  readonly archives: readonly string[];
};

export type SendWork = FileWork & {
  readonly server: BankServer;
  readonly refusesDuplicates: boolean;
};

/**
 * Sends a written file. The upload uses a temporary name, which the bank does not process. The rail
 * renames the file only after the file's document records that the rename is due. If a process dies
 * before that record, it has sent nothing. A stalled process fails when it writes the record.
 */
export async function sendFile(work: SendWork, written: FileDocument): Promise<void> {
  const { store, sealer, server, clock } = work;
  await updatePayments(work, written);
  const { _id, name, sha256 = "" } = written;
  if (name === undefined) {
    await changeFile(store, written, { state: "void" }, clock.now());
    return;
  }
  if (await isAnswered(store, written)) {
    await leaveUndecided(work, written, "the bank has answered a payment of the file");
    return;
  }
  const bytes = await readContent(store, sealer, _id, sha256);
  await server.inSession(async (session) => {
    // Removes an earlier upload, so that the process that began it can no longer rename the file.
    const { attempt: previous = 0 } = written;
    const attempt = previous + 1;
    let file = await changeFile(store, written, { attempt }, clock.now());
    if (file === undefined) return;
    const began = file;
    if (previous > 0) await session.discard(server.outgoing, name, previous);
    const mayRename = async () => {
      const askedMs = performance.now();
      file = await beginSending(store, began, recoveryMs(server), clock.now());
      return file !== undefined && performance.now() - askedMs < server.timeoutMs;
    };
    const uploaded = await session.upload(server.outgoing, name, bytes, mayRename, attempt);
    if (uploaded !== "held" && file !== undefined) await concludeSent(work, file, "upload");
  });
}

/**
 * Records that the file is about to get its final name at the bank. The deadline uses the
 * database's clock. Returns `undefined` if another process changed the file since it was read.
 */
async function beginSending(
  { files }: BankStore,
  file: FileDocument,
  forMs: number,
  at: Date,
): Promise<FileDocument | undefined> {
  const revision = file.revision + 1;
  const { modifiedCount } = await files.updateOne({ _id: file._id, revision: file.revision }, [
    {
      $set: {
        state: "sending",
        revision,
        updated_at: at,
        sending_until: { $add: ["$$NOW", forMs] },
      },
    },
  ]);
  return modifiedCount === 1 ? { ...file, state: "sending", revision, updated_at: at } : undefined;
}

/** Returns true if the rename deadline has not passed, by the database's clock. */
async function isUnderWay({ files }: BankStore, { _id }: FileDocument): Promise<boolean> {
  const filter = { _id, state: "sending", $expr: { $gt: ["$sending_until", "$$NOW"] } } as const;
  return (await files.findOne(filter, { projection: { _id: 1 } })) !== null;
}

/** The deadline for the rename: the time limit of a session, doubled for data in transit. */
const recoveryMs = ({ timeoutMs }: BankServer) => 2 * timeoutMs;

/** Determines the outcome of an upload whose process died. */
export async function recoverFile(work: SendWork, sending: FileDocument): Promise<void> {
  const { store, server, refusesDuplicates, clock, rail, log } = work;
  const { _id, name = "", attempt = 1 } = sending;
  // The process that sends this file may still be working.
  if (await isUnderWay(store, sending)) return;
  const place = await server.inSession(async (session): Promise<Place> => {
    const found = await session.place(server.outgoing, name, server.archives, attempt);
    if (found !== "part") return found;
    // A stalled process may be about to rename the file. Deleting the temporary file prevents that.
    return (await session.discard(server.outgoing, name, attempt)) ? found : "not-said";
  });
  const what = afterCrash(place, refusesDuplicates);
  log.warn(
    { rail, file: _id, place, what },
    "the upload of a bank file was interrupted; where the file is on the bank's server decides the next step",
  );
  if (what === "sent") return concludeSent(work, sending, "place");
  if (what === "send-again") {
    await changeFile(store, sending, { state: "written" }, clock.now());
    return;
  }
  await leaveUndecided(work, sending, `the file's place on the bank's server: ${place}`);
}

async function leaveUndecided(work: SendWork, file: FileDocument, what: string): Promise<void> {
  const { _id, name = "" } = file;
  await noteFindings(work, { file: _id, name }, [{ kind: "undecided", what }]);
  await changeFile(work.store, file, { state: "undecided" }, work.clock.now());
}

/**
 * Returns true if the bank has answered a payment of the file. The file must not be sent again,
 * because a payment that it contains may be released. An answer concludes its file, so this is the
 * last check before money leaves.
 */
export async function isAnswered(
  { payments }: Pick<BankStore, "payments">,
  { _id: file, left_out = [] }: FileDocument,
): Promise<boolean> {
  const answer = [
    { state: { $ne: "filed" } },
    ...["bank_reference", "debits", "unknown_outcome"].map((name) => ({
      [name]: { $exists: true },
    })),
  ] as const;
  const members = { file, _id: { $nin: left_out.map(({ id }) => id) } };
  const found = await payments.findOne(
    { ...members, $or: [...answer] },
    { projection: { _id: 1 } },
  );
  return found !== null;
}

/**
 * Concludes files as sent, because the bank has answered them. Call this before the answer changes
 * a payment. A process that is about to send such a file can't rename it, because the file's
 * revision has changed.
 */
export async function concludeAnswered(
  { store, clock, rail, log }: Pick<SendWork, "store" | "clock" | "rail" | "log">,
  fileIds: ReadonlySet<string>,
): Promise<void> {
  const now = clock.now();
  const { modifiedCount } = await store.files.updateMany(
    { _id: { $in: [...fileIds] }, open: rail },
    {
      $set: { state: "sent", sent_at: now, sent_by: "answer", updated_at: now },
      $unset: { open: "", sending_until: "" },
      $inc: { revision: 1 },
    },
  );
  if (modifiedCount > 0) log.info({ rail, files: modifiedCount }, "the bank has answered files");
}

async function concludeSent(
  { store, clock, rail, log }: SendWork,
  file: FileDocument,
  how: NonNullable<FileDocument["sent_by"]>,
): Promise<void> {
  const now = clock.now();
  const sent = { state: "sent", sent_at: now, sent_by: how } as const;
  if ((await changeFile(store, file, sent, now)) === undefined) return;
  const late = now > file.closes_at;
  log.info({ rail, file: file._id, how, payments: file.members?.length, late }, "bank file sent");
}
