import { createHash } from "node:crypto";
import { type Database, isDuplicateKey } from "@disburse/chassis/mongo.ts";
import { currencies } from "@disburse/kernel/currency.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { base58 } from "@scure/base";
import type { RailCapabilities } from "../domain/routing.ts";
import type { Instruction, Rail, TimedAnswer } from "./rail.ts";

/** What a reference makes the sandbox's rail do (decisions: the sandbox). */
type Scenario = "settle" | "fail" | "return" | "unknown";

/** The rail's own book; it stands for a system outside, so nothing else reads it. */
type TransferDocument = {
  _id: string;
  schema_version: number;
  scenario: Scenario;
  reference: string;
  settles_at: Date;
  returns_at: Date;
  asked: number;
};

export type SandboxRailOptions = {
  readonly database: Database;
  readonly clock: Clock;
  /** How long a transfer takes; a return comes as long after the settlement. */
  readonly settleMs: number;
};

/** An unknown transfer is known when the rail is asked this often. */
const knownWhenAsked = 2;

/** A simulated rail that settles, fails, returns or does not know, by the merchant's reference. */
export function createSandboxRail({ database, clock, settleMs }: SandboxRailOptions): Rail {
  const transfers = database.db.collection<TransferDocument>("sandbox_transfers");

  const answer = (transfer: TransferDocument, now: Date): TimedAnswer => {
    const { scenario, reference, settles_at, returns_at } = transfer;
    if (scenario === "unknown" && transfer.asked < knownWhenAsked) {
      return { answer: { kind: "unknown" }, askAfterMs: settleMs };
    }
    const remainingMs = settles_at.getTime() - now.getTime();
    if (remainingMs > 0) return { answer: { kind: "accepted" }, askAfterMs: remainingMs };
    if (scenario === "fail") return { answer: { kind: "rejected" } };
    if (scenario !== "return") return { answer: { kind: "settled", reference } };
    const returnsInMs = returns_at.getTime() - now.getTime();
    return returnsInMs > 0
      ? { answer: { kind: "settled", reference }, askAfterMs: returnsInMs }
      : { answer: { kind: "returned", reference } };
  };

  return {
    name: "sandbox",
    capabilities: everything,
    available: async () => true,
    readCallback: () => "unreadable",
    submit: async (key, instruction) => {
      const now = clock.now();
      const transfer: TransferDocument = {
        _id: key,
        schema_version: 1,
        scenario: scenarioOf(instruction.referenceId),
        reference: referenceFor(key, instruction),
        settles_at: new Date(now.getTime() + settleMs),
        returns_at: new Date(now.getTime() + 2 * settleMs),
        asked: 0,
      };
      try {
        await transfers.insertOne(transfer);
        return answer(transfer, now);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await transfers.findOne({ _id: key });
        return first === null ? { answer: { kind: "unknown" } } : answer(first, now);
      }
    },
    query: async (key) => {
      const transfer = await transfers.findOneAndUpdate(
        { _id: key },
        { $inc: { asked: 1 } },
        { returnDocument: "after" },
      );
      if (transfer === null) return { answer: { kind: "not_received" } };
      return answer(transfer, clock.now());
    },
  };
}

/** All that a payout can be; the simulation has no limits of its own. */
const everything: RailCapabilities = {
  currencies: currencies.map(({ code }) => code),
  transferMethods: ["CRYPTO", "SWIFT", "ACH", "LOCAL"],
  networks: ["ETHEREUM", "SOLANA", "POL", "BNB", "BTC", "TRX"],
  limits: {},
};

function scenarioOf(referenceId: string): Scenario {
  if (referenceId.startsWith("sandbox-fail")) return "fail";
  if (referenceId.startsWith("sandbox-return")) return "return";
  if (referenceId.startsWith("sandbox-unknown")) return "unknown";
  return "settle";
}

/** A reference of the form that the network or bank rail gives, the same for the same key. */
function referenceFor(key: string, { network }: Instruction): string {
  const hash = (algorithm: string) => createHash(algorithm).update(key).digest();
  switch (network) {
    case "":
      return `SBX${(hash("sha256").readBigUInt64BE() % 10n ** 12n).toString().padStart(12, "0")}`;
    case "SOLANA":
      return base58.encode(hash("sha512"));
    case "BTC":
    case "TRX":
      return hash("sha256").toString("hex");
    default:
      return `0x${hash("sha256").toString("hex")}`;
  }
}
