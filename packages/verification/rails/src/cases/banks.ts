import { setTimeout as pause } from "node:timers/promises";
import {
  BankFileDecision,
  BankFileState,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { createRandom } from "@disburse/harness/random.ts";
import type { RailCase } from "../case.ts";
import { atTheirEnd, outcomeVerdicts, type Paid } from "../checks/outcome.ts";
import { achZone, type BankName, bankNames } from "../counterparts/bank-rails.ts";
import { type BanksOptions, whyNoBanks } from "../counterparts/banks.ts";
import { crashEverywhere } from "../crashes/crashes.ts";
import { type Accepted, createLoad } from "../load.ts";
import { type RecipientKind, registerRecipient } from "../recipients.ts";
import { openSecondPerson } from "../second-person.ts";
import type { World } from "../world.ts";

const pollEveryMs = 1_000;

/** Allows for a window of one minute, a poll of the folder with the bank's files, and a lease. */
const settleTimeoutMs = 240_000;

/**
 * Number of payments that fills a file. NACHA allows only 36 files a day, so ACH files leave only
 * once a minute.
 */
const paymentsMax = { "bank-usd": 5, "bank-eur": 5, "bank-ach": 1_000 } as const;

/** Crash plans. For ACH, the maximum number of files per day limits the number of tested gaps. */
const plans = {
  "bank-usd": { withinMs: 10_000, gapsMax: Number.POSITIVE_INFINITY },
  "bank-eur": { withinMs: 10_000, gapsMax: Number.POSITIVE_INFINITY },
  "bank-ach": { withinMs: 75_000, gapsMax: 14 },
} as const;

/** Test banks. A file leaves when it is full, or every minute. */
export const testBanks = (large: number): BanksOptions => ({
  names: bankNames,
  paymentsMax: (name) => (name === "bank-large" ? large : paymentsMax[name]),
  choices: (name) => ({
    pace: name === "bank-large" ? "by-hand" : 100,
    // This bank pays duplicates and removes processed files. The rail can't find out whether the
    // bank has a file.
    ...(name === "bank-eur" ? { duplicates: "pay", taken: "goes" } : {}),
    outcomeOf: ({ minor }) => {
      if (name === "bank-large") return "settled";
      if (minor % 7n === 0n) return "rejected";
      return minor % 11n === 0n ? "returned" : "settled";
    },
  }),
});

/** Returns the payout's reference at the bank: its id without the prefix, in capitals. */
const endToEndIdOf = ({ id }: Accepted) => id.slice("po_".length).toUpperCase();

export function bankOf({ banks }: World, name: BankName) {
  if (banks === undefined) throw new Error("there are no banks");
  return banks.of(name);
}

export function paidBy(world: World, name: BankName, currency: string): Paid {
  const { book } = bankOf(world, name);
  const { paid, returned } = book.sums(currency);
  return {
    times: (payout) => book.paid(endToEndIdOf(payout)),
    returned: (payout) => book.returned(endToEndIdOf(payout)),
    confirms: name !== "bank-ach",
    sum: paid - returned,
  };
}

/** Kills the payout service (SIGKILL) in every gap between two steps of sending a bank file. */
function bankCrashes(name: keyof typeof plans, kind: RecipientKind, currency: string): RailCase {
  return {
    name: `${name}-crashes`,
    about: `kill -9 in every gap between two steps of files by SFTP, ${kind}`,
    unavailable: () => {
      if (name === "bank-ach" && achZone === undefined) return "the Federal Reserve is closed";
      return whyNoBanks();
    },
    run: async function* (world, { perGap, seed }) {
      // An SFTP session and a file check take a second. More load would only build a backlog.
      const load = createLoad(world, await registerRecipient(world, kind), 3, 1_000);
      const operators = startOperators(world, name);
      load.start();
      yield await crashEverywhere(world, {
        // A file causes each of these writes several times.
        folders: /packages\/bank-rail\//,
        steps: /^sftp /,
        calls: 2,
        rounds: perGap,
        random: createRandom(seed),
        ...plans[name],
      });
      await load.drain();
      const book = paidBy(world, name, currency);
      const ended = await atTheirEnd(world, load, book, settleTimeoutMs);
      await operators.stop();
      const { received, again } = operators.decided;
      yield* outcomeVerdicts(ended, load, paidBy(world, name, currency));
      const { receipts } = bankOf(world, name).bank;
      const faulty = receipts.filter(({ taken }) => taken === "refused");
      yield {
        name: "the bank could read every file",
        problems: faulty.flatMap(({ id, faults }) => `${id}: ${faults.join(", ")}`),
        figures: `${receipts.length} files; of ${received + again} people had to decide, ${again} went again`,
      };
    },
  };
}

export const bankCases: readonly RailCase[] = [
  bankCrashes("bank-usd", "swift", "USD"),
  bankCrashes("bank-eur", "sepa", "EUR"),
  bankCrashes("bank-ach", "ach", "USD"),
];

/** Starts two operators who resolve files with an unknown outcome by asking the bank. */
function startOperators({ platform, banks }: World, name: BankName) {
  const { operations } = platform.clients;
  const second = openSecondPerson(platform);
  const ends = new AbortController();
  const decided = { received: 0, again: 0 };
  const decide = async (fileId: string): Promise<void> => {
    const isThere = banks?.of(name).bank.receipts.some(({ id }) => id === fileId) ?? false;
    const { RECEIVED, SEND_AGAIN } = BankFileDecision;
    const decision = isThere ? RECEIVED : SEND_AGAIN;
    const request = { fileId, decision, reason: "the bank says so on the telephone" };
    const mutation = { operationId: `decide:${fileId}:${crypto.randomUUID()}` };
    await second.approve(operations.resolveBankFile({ mutation, ...request }));
    decided[isThere ? "received" : "again"] += 1;
  };
  const poll = async (): Promise<void> => {
    const { files } = await operations.listBankFiles({
      rail: name,
      state: BankFileState.UNDECIDED,
      limit: 100,
    });
    for (const { id } of files) await decide(id);
  };
  const run = async (): Promise<void> => {
    while (!ends.signal.aborted) {
      // The service is killed repeatedly, so a poll may fail. The next poll retries.
      await poll().catch(() => undefined);
      await pause(pollEveryMs, undefined, { signal: ends.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    decided,
    stop: async (): Promise<void> => {
      ends.abort();
      await running;
      second.close();
    },
  };
}
