import { until } from "@disburse/harness/waiting.ts";
import { serviceOf } from "@disburse/invariants/documents.ts";
import type { RailCase } from "../case.ts";
import { atTheirEnd, outcomeVerdicts } from "../checks/outcome.ts";
import { whyNoBanks } from "../counterparts/banks.ts";
import { createLoad } from "../load.ts";
import { registerRecipient } from "../recipients.ts";
import type { World } from "../world.ts";
import { bankOf, paidBy } from "./banks.ts";

const clients = 16;
/**
 * Time limit from the last payment to the file at the bank, and from the statement to the last
 * settlement.
 */
const fileTimeoutMs = 60_000;
const settleTimeoutMs = 300_000;
/** Limit for processing a statement with 10,000 entries. */
const takenMaxMs = 10_000;
const everyMs = 100;

type Times = {
  readonly created_at?: Date;
  readonly sent_at?: Date;
  readonly received_at?: Date;
  readonly taken_at?: Date;
};

/** Sends one file with the maximum number of payments, and one statement that settles them all. */
export const largeFiles: RailCase = {
  name: "large-files",
  about: "a pain.001 of 10,000 payments, and a camt.053 of 10,000 entries that settles them",
  unavailable: whyNoBanks,
  run: async function* (world, { large }) {
    const bank = bankOf(world, "bank-large");
    const load = createLoad(world, await registerRecipient(world, "local"), clients, 0);
    const startedAt = performance.now();
    await load.payMany(large);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const isThere = await until(() => bank.bank.receipts.length > 0, {
      timeoutMs: fileTimeoutMs,
      everyMs,
    });
    const [receipt] = bank.bank.receipts;
    const [file] = await documentsOf(world, "bank_files");
    yield {
      name: `one file of ${large} payments`,
      problems: [
        ...(isThere ? [] : ["no file came"]),
        ...(receipt?.payments === large ? [] : [`the bank read ${receipt?.payments} payments`]),
        ...(receipt?.faults ?? []),
      ],
      figures: `accepted in ${seconds} s; begun, written, checked and sent in ${msBetween(file?.created_at, file?.sent_at)} ms`,
    };
    // Withholds status reports, so that only the statement settles payments.
    await bank.deliver(() => []);
    await bank.closeDay();
    await bank.deliver();
    const book = paidBy(world, "bank-large", "USD");
    const ended = await atTheirEnd(world, load, book, settleTimeoutMs);
    const received = await documentsOf(world, "bank_received");
    const took = msBetween(received[0]?.received_at, received[0]?.taken_at);
    yield {
      name: `a statement of ${large} entries is taken`,
      problems: took < takenMaxMs ? [] : [`took ${took} ms`],
      figures: `${took} ms`,
    };
    yield* outcomeVerdicts(ended, load, paidBy(world, "bank-large", "USD"));
  },
};

function documentsOf({ databases }: World, collection: string): Promise<Times[]> {
  const database = databases.client.db(`${databases.prefix}${serviceOf.payouts}`);
  return database.collection<Times>(collection).find({ rail: "bank-large" }).toArray();
}

function msBetween(from: Date | undefined, to: Date | undefined): number {
  return from === undefined || to === undefined ? Number.NaN : to.getTime() - from.getTime();
}
