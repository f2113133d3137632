import { createLog } from "@disburse/chassis/log.ts";
import { quantile } from "@disburse/name-matcher/measure/speed.ts";
import { watchLists } from "../index/watch.ts";
import { packEntries } from "../lists/chunks.ts";
import { entriesOf, measuredStore } from "./measured-store.ts";

/**
 * From stored chunks to the first answer, in a process that does nothing else, as a service that
 * starts; printed as one line of JSON. Half of the starts took no longer, and the longest,
 * milliseconds; and of the processor, helpers included.
 */
export type Start = {
  readonly half: number;
  readonly worst: number;
  readonly cpuHalf: number;
};

const starts = 7;

const [path = ""] = process.argv.slice(2);
const chunks = packEntries("measured", entriesOf(path));
const store = measuredStore(() => chunks);
const log = createLog("measure", "silent");
const [wall, cpu]: [number[], number[]] = [[], []];
for (let start = 0; start < starts; start += 1) {
  const watch = watchLists({ store, log });
  const used = process.cpuUsage();
  const started = performance.now();
  await watch.refresh();
  const party = { type: "individual", name: "nobody", date: "", countries: [] } as const;
  await watch.current()?.screen({ parties: [{ ...party, documents: [] }], wallets: [] });
  wall.push(performance.now() - started);
  const { user, system } = process.cpuUsage(used);
  cpu.push((user + system) / 1000);
  await watch.stop();
}
const start: Start = {
  half: quantile(wall, 0.5),
  worst: quantile(wall, 1),
  cpuHalf: quantile(cpu, 0.5),
};
process.stdout.write(JSON.stringify(start));
