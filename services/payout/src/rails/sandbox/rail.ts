import { createHash } from "node:crypto";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import { currencies } from "@disburse/kernel/currency.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { RailCapabilities } from "@disburse/rail/capabilities.ts";
import type { Instruction, Rail } from "@disburse/rail/rail.ts";
import { base58 } from "@scure/base";
import type { Collection } from "mongodb";
import { readMessage, type SandboxMessage, type SignedMessage, signMessage } from "./callbacks.ts";
import type { SandboxScenarios } from "./scenario-store.ts";
import {
  batchMs,
  type Drawn,
  delayOf,
  lateReturnMs,
  namedScenario,
  type SandboxBehaviour,
  type Scenario,
  scenarioOf,
} from "./scenarios.ts";
import { type Steered, steerTransfer } from "./steering.ts";
import {
  bankReference,
  type PendingMessage,
  rejectionOf,
  replyOf,
  returnOf,
  type TransferDocument,
  withdrawTransfer,
} from "./transfers.ts";

export type SandboxRailOptions = {
  readonly database: Database;
  readonly clock: Clock;
  readonly behaviour: SandboxBehaviour;
  readonly callbackSecret: string;
  /** Merchants' own scenarios. Absent if merchants can't set any. */
  readonly scenarios?: Pick<SandboxScenarios, "draws" | "draw">;
  /** Notified when new callbacks are scheduled. */
  readonly pending?: Wake;
  /** Receives a callback. After an error the rail sends it again. */
  readonly receive: (message: SignedMessage) => Promise<unknown>;
};

/** The simulated rail, with functions that send its callbacks and set its outcomes. */
export type SandboxRail = Rail & {
  /** Sends the due callbacks. Returns true if more may be due. */
  sendDue(): Promise<boolean>;
  /**
   * Gives a transfer an outcome now and reports it by callback, except for `unknown`. A repeated
   * call also returns `steered`.
   */
  steer(key: string, to: Steered, sum: Sum): Promise<"steered" | "not_received" | "refused">;
};

type Sum = Pick<Instruction, "amount" | "currency">;

/** The maximum number of callbacks that one run sends. */
const sendBatch = 50;
/** The number of times that a duplicate callback is sent. */
const duplicates = 3;

/** The simulated rail supports every kind of payout and has no limits of its own. */
const capabilities: RailCapabilities = {
  currencies: currencies.map(({ code }) => code),
  transferMethods: ["CRYPTO", "SWIFT", "ACH", "LOCAL", "SEPA"],
  networks: ["ETHEREUM", "SOLANA", "POL", "BNB", "BTC", "TRX"],
  limits: {},
};

/**
 * Creates a simulated rail. A transfer's scenario comes from its reference, its merchant's
 * scenarios, or the seed.
 */
export function createSandboxRail(options: SandboxRailOptions): SandboxRail {
  const { database, clock, behaviour, callbackSecret, pending, receive } = options;
  const transfers = database.db.collection<TransferDocument>("sandbox_transfers");
  const send = (message: SandboxMessage) => receive(signMessage(message, callbackSecret));
  return {
    name: "sandbox",
    capabilities,
    available: async () => true,
    expectedAt: (_transfer, now) => new Date(now.getTime() + behaviour.settleMs),
    submit: async (key, instruction) => {
      const now = clock.now();
      const drawn = await drawnFor(options, transfers, key, instruction);
      const transfer = transferOf(key, instruction, behaviour, { now, drawn });
      const stored = await accept(transfers, transfer);
      pending?.notify();
      const { scenario, reference } = stored;
      if (scenario === "lost" && stored === transfer)
        throw new Error("the sandbox rail simulates a lost response");
      if (scenario === "early") await send(messageOf(key, "settled", reference, instruction));
      return replyOf(stored, now);
    },
    query: async (key) => {
      const transfer = await transfers.findOne({ _id: key });
      if (transfer === null) return { status: { kind: "not_received" } };
      const asked = transfer.asked + 1;
      if (transfer.scenario === "unknown") {
        await transfers.updateOne({ _id: key }, { $set: { asked } });
      }
      return replyOf({ ...transfer, asked }, clock.now());
    },
    withdraw: (key) => withdrawTransfer(transfers, key, clock.now()),
    readCallback: (body, signature) => readMessage(body, signature, callbackSecret),
    sendDue: () => sendDue(transfers, clock.now(), send),
    steer: async (key, to, sum) => {
      const before = await transfers.findOne({ _id: key });
      if (before === null) return "not_received";
      const now = clock.now();
      const message = steeredMessage(before, to, sum);
      const isSteered = await steerTransfer(transfers, key, to, { message, now });
      pending?.notify();
      const after = await transfers.findOne({ _id: key });
      if (after === null)
        throw new Error("the transfer is missing from the sandbox rail's database");
      if (!isSteered && replyOf(after, now).status.kind !== to.kind) return "refused";
      await sendPending(transfers, after, now, send);
      return "steered";
    },
  };
}

/** Creates the callback that reports an outcome set by `steer`. */
function steeredMessage(
  transfer: TransferDocument,
  to: Steered,
  sum: Sum,
): SandboxMessage | undefined {
  if (to.kind === "unknown") return undefined;
  const message = messageOf(transfer._id, to.kind, transfer.reference, sum);
  if (to.kind === "settled") return message;
  const byDefault = to.kind === "rejected" ? rejectionOf(transfer) : returnOf(transfer);
  return { ...message, failure: to.failure ?? byDefault };
}

/** Stores a transfer once. Returns the stored transfer. */
async function accept(transfers: Collection<TransferDocument>, transfer: TransferDocument) {
  if (await insertOnce(transfers, transfer)) return transfer;
  const first = await transfers.findOneAndUpdate(
    { _id: transfer._id },
    { $inc: { submitted: 1 } },
    { returnDocument: "after" },
  );
  if (first === null) throw new Error("the transfer is missing from the sandbox rail's database");
  return first;
}

/**
 * Draws the scenario of a new transfer from its merchant's scenarios. A transfer that is already
 * stored is not counted again.
 */
async function drawnFor(
  { scenarios }: SandboxRailOptions,
  transfers: Collection<TransferDocument>,
  key: string,
  { merchantId, referenceId }: Instruction,
): Promise<Drawn | undefined> {
  const isNamed = namedScenario(referenceId) !== undefined;
  if (isNamed || scenarios?.draws(merchantId) !== true) return undefined;
  const isThere = (await transfers.countDocuments({ _id: key })) > 0;
  return isThere ? undefined : scenarios.draw(merchantId);
}

function transferOf(
  key: string,
  instruction: Instruction,
  behaviour: SandboxBehaviour,
  { now, drawn }: { readonly now: Date; readonly drawn: Drawn | undefined },
) {
  const rejection = faultOf(instruction);
  const own = drawn?.scenario ?? scenarioOf(instruction.referenceId, key, behaviour);
  const scenario = rejection ? "fail" : own;
  const delayMs = drawn?.delayMs ?? delayOf(key, behaviour);
  const reference = referenceFor(key, instruction);
  const waitsMs = scenario === "batch" ? batchMs : 0;
  const settlesAt = new Date(now.getTime() + waitsMs + (scenario === "early" ? 0 : delayMs));
  const returnsAfterMs = scenario === "late-return" ? lateReturnMs : delayMs;
  const returnsAt = new Date(settlesAt.getTime() + returnsAfterMs);
  const pending = plannedBy(scenario, settlesAt, returnsAt).map(({ at, outcome, more }) => ({
    at,
    message: messageOf(key, outcome, reference, instruction, more),
  }));
  return {
    _id: key,
    schema_version: 1,
    scenario,
    reference,
    settles_at: settlesAt,
    returns_at: returnsAt,
    asked: 0,
    submitted: 1,
    pending,
    ...(pending[0] && { pending_at: pending[0].at }),
    ...(waitsMs > 0 && { batch_at: new Date(now.getTime() + waitsMs) }),
    ...(rejection && { rejection }),
  };
}

/**
 * Simulates a bank's rejection of an address. SWIFT accepts only structured addresses with town and
 * country.
 */
function faultOf({ transferMethod, address }: Instruction): Failure | undefined {
  const isAddressed = address.city !== "" && address.countryCode !== "";
  if (transferMethod !== "SWIFT" || isAddressed) return undefined;
  return { code: "INVALID_ADDRESS", railCode: "BE04" };
}

/** A planned callback. Its amount is `more` minor units above the transfer's. */
type Planned = { at: Date; outcome: SandboxMessage["outcome"]; more?: bigint };

/** Returns the callbacks that a scenario sends, in order. */
function plannedBy(scenario: Scenario, settlesAt: Date, returnsAt: Date): Planned[] {
  const settled = { at: settlesAt, outcome: "settled" } as const;
  switch (scenario) {
    case "callback":
      return [settled];
    case "duplicate":
      return Array.from({ length: duplicates }, () => settled);
    case "contradict":
      return [settled, { at: returnsAt, outcome: "rejected" }];
    case "amount":
      return [{ ...settled, more: 1n }];
    case "late-return":
      return [{ at: returnsAt, outcome: "returned" }];
    default:
      return [];
  }
}

function messageOf(
  key: string,
  outcome: SandboxMessage["outcome"],
  reference: string,
  { amount, currency }: Sum,
  more = 0n,
): SandboxMessage {
  return { key, outcome, reference, amount: formatAmount(amount + more, currency), currency };
}

/**
 * Sends each due callback at least once. After a crash before the write, the callback is sent
 * again.
 */
async function sendDue(
  transfers: Collection<TransferDocument>,
  now: Date,
  send: (message: SandboxMessage) => Promise<unknown>,
): Promise<boolean> {
  const due = await transfers
    .find({ pending_at: { $lte: now } })
    .limit(sendBatch)
    .toArray();
  for (const transfer of due) await sendPending(transfers, transfer, now, send);
  return due.length === sendBatch;
}

async function sendPending(
  transfers: Collection<TransferDocument>,
  { _id, pending }: TransferDocument,
  now: Date,
  send: (message: SandboxMessage) => Promise<unknown>,
): Promise<void> {
  const isDue = ({ at }: PendingMessage) => at <= now;
  const due = pending.filter(isDue);
  if (due.length === 0) return;
  for (const { message } of due) await send(message);
  const left = pending.filter((each) => !isDue(each));
  const next = left[0]?.at;
  await transfers.updateOne(
    { _id, pending },
    next === undefined
      ? { $set: { pending: left }, $unset: { pending_at: "" } }
      : { $set: { pending: left, pending_at: next } },
  );
}

/**
 * Creates a reference that looks like the network's or the bank's. The same key always gives the
 * same reference.
 */
function referenceFor(key: string, { network }: Instruction): string {
  const hash = (algorithm: string) => createHash(algorithm).update(key).digest();
  switch (network) {
    case "":
      return `${bankReference}${(hash("sha256").readBigUInt64BE() % 10n ** 12n).toString().padStart(12, "0")}`;
    case "SOLANA":
      return base58.encode(hash("sha512"));
    case "BTC":
    case "TRX":
      return hash("sha256").toString("hex");
    default:
      return `0x${hash("sha256").toString("hex")}`;
  }
}
