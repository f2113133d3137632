import type { Payout } from "./documents.ts";
import type { Expectations } from "./finding.ts";

/** What a merchant sees of each stage. */
const statuses: Readonly<Record<string, string>> = {
  queued: "initiated",
  submitting: "initiated",
  processing: "initiated",
  unknown: "initiated",
  concluding: "initiated",
  settled: "succeeded",
  returning: "succeeded",
  rejected: "failed",
  returned: "failed",
};

/** The ways that a status may go (service interface, payout statuses). */
const ways: ReadonlySet<string> = new Set([
  "initiated",
  "initiated succeeded",
  "initiated failed",
  "initiated succeeded failed",
]);

/** A rail that wavers between these without end is journalled up to a bound. */
const wavering: ReadonlySet<string> = new Set(["submitting", "processing", "unknown"]);

/** The statuses that a payout had, one for each version, as its journal tells them. */
export function statusesOf({ journal }: Payout): string[] {
  const all = journal.map(({ stage }) => statuses[stage] ?? `no status for ${stage}`);
  return all.filter((status, at) => status !== all[at - 1]);
}

/** A payout's journal, version and present state tell the same story, an allowed one. */
export function checkJournal(payout: Payout, expect: Expectations["expect"]): void {
  const told = statusesOf(payout);
  expect(7, ways.has(told.join(" ")), `its status went ${told.join(", ")}`);
  expect(7, payout.version === told.length, `has version ${payout.version} after ${told.length}`);
  expect(7, payout.status === told.at(-1), `is ${payout.status} and its journal is not`);
  const versions = payout.journal.map(({ version }) => version);
  const isOrdered = versions.every((version, at) => {
    const step = version - (versions[at - 1] ?? 0);
    return at === 0 ? step === 1 : step === 0 || step === 1;
  });
  expect(7, isOrdered, `its journal has the versions ${versions.join(", ")}`);
  expect(7, versions.at(-1) === payout.version, "its journal ends with another version");
  const { stage } = payout.progress;
  const last = payout.journal.at(-1)?.stage ?? "";
  const hasWavered = wavering.has(stage) && wavering.has(last);
  expect(7, stage === last || hasWavered, `its journal does not end with ${stage}`);
}
