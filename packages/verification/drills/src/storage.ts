import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countOf, readArguments, runCommand, say } from "@disburse/harness/command-line.ts";
import { execute, registerBeneficiary, requestQuote } from "@disburse/platform/merchant.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { type DrillPlatform, startDrillPlatform } from "./platform.ts";

/** `npm run bench:storage` measures bytes per payout in each collection (docs/explanation/scaling.md). */

const usage = "usage: npm run bench:storage [-- --payouts N]";
const lanes = 16;

type Size = { documents: number; plain: number; stored: number; indexes: number };

/** Makes a checkpoint, then returns the size of each collection as `service.collection`. */
async function sizes({ client, database }: DrillPlatform): Promise<ReadonlyMap<string, Size>> {
  await client.db("admin").command({ fsync: 1 });
  const found = new Map<string, Size>();
  for (const service of serviceNames) {
    const db = client.db(database(service));
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const [stats] = await db
        .collection(name)
        .aggregate([{ $collStats: { storageStats: {} } }])
        .toArray();
      const { count, size, storageSize, totalIndexSize } = stats?.storageStats ?? {};
      const plain = { documents: count, plain: size, stored: storageSize };
      found.set(`${service}.${name}`, { ...plain, indexes: totalIndexSize });
    }
  }
  return found;
}

async function make(count: number, one: () => Promise<unknown>): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Prints each collection's growth per unit. The last line is the sum. */
function sayGrowth(
  what: string,
  count: number,
  before: ReadonlyMap<string, Size>,
  after: ReadonlyMap<string, Size>,
): void {
  say(
    `\n| per ${what} | documents | bytes, plain | stored | with indexes |\n|---|---:|---:|---:|---:|`,
  );
  const sum = { documents: 0, plain: 0, stored: 0, indexes: 0 };
  for (const [name, now] of after) {
    const was = before.get(name) ?? { documents: 0, plain: 0, stored: 0, indexes: 0 };
    const documents = (now.documents - was.documents) / count;
    if (documents < 1 / 2) continue;
    const of = (key: keyof Size) => Math.round((now[key] - was[key]) / count);
    const [plain, stored, indexes] = [of("plain"), of("stored"), of("indexes")];
    sum.documents += documents;
    sum.plain += plain;
    sum.stored += stored;
    sum.indexes += indexes;
    say(`| \`${name}\` | ${Math.round(documents)} | ${plain} | ${stored} | ${stored + indexes} |`);
  }
  const { plain, stored, indexes } = sum;
  say(`| all | ${Math.round(sum.documents)} | ${plain} | ${stored} | ${stored + indexes} |`);
}

async function measure(payouts: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "disburse-storage-"));
  await using ends = new AsyncDisposableStack();
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  const platform = await startDrillPlatform(folder);
  ends.defer(platform.stop);
  const beneficiaryId = await registerBeneficiary(platform);
  const first = await sizes(platform);
  await make(payouts, async () => {
    const quoteId = await requestQuote(platform, beneficiaryId);
    await execute(platform, quoteId, `order-${quoteId}`);
  });
  await platform.rest();
  const second = await sizes(platform);
  sayGrowth("payout", payouts, first, second);
  await make(payouts, () => registerBeneficiary(platform));
  await platform.rest();
  sayGrowth("beneficiary", payouts, second, await sizes(platform));
  return 0;
}

await runCommand((args) => {
  const options = { payouts: { type: "string", default: "1000" } } as const;
  const { payouts } = readArguments(args, options, usage);
  return measure(countOf("--payouts", payouts, usage));
});
