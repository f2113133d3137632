import { createLog } from "@disburse/chassis/log.ts";
import { quantile } from "@disburse/name-matcher/measure/speed.ts";
import { watchLists } from "../index/watch.ts";
import { packEntries } from "../lists/chunks.ts";
import { entriesOf, measuredStore } from "./measured-store.ts";

/*
 * Prints the time from stored chunks to the first result, in milliseconds, in a process that does
 * nothing else, like a starting service. It prints the median and the maximum, and the median of
 * the CPU time, helper threads included.
 */
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
  const party = { type: "individual", name: "Unlisted Person", date: "", countries: [] } as const;
  await watch.current()?.screen({ parties: [{ ...party, documents: [] }], wallets: [] });
  wall.push(performance.now() - started);
  const { user, system } = process.cpuUsage(used);
  cpu.push((user + system) / 1000);
  await watch.stop();
}
const [half, worst, cpuHalf] = [quantile(wall, 0.5), quantile(wall, 1), quantile(cpu, 0.5)];
process.stdout.write(JSON.stringify({ half, worst, cpuHalf }));
