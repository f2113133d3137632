import { openHere } from "@disburse/bank-files/reading/opened-file.ts";
import { createDispatcher } from "@disburse/bank-rail/dispatcher.ts";
import { openBankStore } from "@disburse/bank-rail/documents.ts";
import type { BankFormat } from "@disburse/bank-rail/format.ts";
import { nachaFormat } from "@disburse/bank-rail/nacha/format.ts";
import type { BankSchedule } from "@disburse/bank-rail/plan.ts";
import { createBankRail } from "@disburse/bank-rail/rail.ts";
import { readBankRails } from "@disburse/bank-rail/settings.ts";
import { nachaSettings } from "@disburse/bank-rail/test-settings.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import { errorsOf, processLog } from "../checks/process-log.ts";
import { databaseLink, type Sabotage } from "../network/database-link.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import { bankLink } from "./bank-link.ts";
import type { SimulatedBank } from "./simulated-bank.ts";

const everyMs = 500;
/** A small number, so that several files are created. */
const paymentsMax = 3;
/** Number of banking days after which a credit without a return is settled. */
const returnWindowDays = 2;

export type SharedRail = {
  readonly database: MemoryDatabase;
  readonly bank: SimulatedBank;
  readonly broken: string[];
  readonly isPaused: () => boolean;
  readonly sabotage?: Sabotage | undefined;
};

/** Stores plain text. Crashes are the same with or without encryption. */
export const seals = { seal: (text: string) => text, open: (sealed: string) => sealed };

const minutes = Array.from({ length: 24 * 60 }, (_each, at) => at);
const two = (part: number) => String(part).padStart(2, "0");
/** One window each minute, alternating between the same day and the next day. */
const [first, ...others] = minutes.map((at) => ({
  cutOff: `${two(Math.floor(at / 60))}:${two(at % 60)}`,
  settlesAfterDays: at % 2,
}));
if (first === undefined) throw new Error("the simulated bank has no windows");

/** Writes files shortly before each minute ends. */
const schedule: BankSchedule = {
  zone: "America/New_York",
  calendars: ["FEDERAL_RESERVE"],
  leadMs: 20_000,
  windows: [first, ...others],
};

const [settings] = readBankRails(
  JSON.stringify([{ ...nachaSettings, return_window_days: returnWindowDays }]),
);
if (settings?.format !== "nacha") throw new Error("the simulated bank must have the format nacha");
export const { rail: railName } = settings;
const nacha = nachaFormat(settings, schedule);

/**
 * Starts a process for a bank's files, like `openBankRail` but without its lease. A lease doesn't
 * guarantee exclusion, so in the simulation all processes work at the same time.
 */
export function startBankProcess(shared: SharedRail, instance: ProcessInstance): Rail {
  const { database, bank, broken, isPaused, sabotage } = shared;
  const log = errorsOf(processLog(instance, { broken }));
  const { faults } = instance.scheduler;
  const format: BankFormat = {
    ...nacha,
    write: async (file, payments) => {
      if (faults.happens("bank: writer threw", 0.4)) throw new Error("the writer threw");
      return nacha.write(file, payments);
    },
  };
  const store = openBankStore(databaseLink(instance, database, { sabotage }));
  const dispatcher = createDispatcher({
    rail: railName,
    format,
    schedule,
    paymentsMax,
    store,
    sealer: seals,
    clock: systemClock,
    log,
    server: bankLink(instance, bank),
    // Opens the file reader in the same thread, because a simulation has only one.
    open: openHere,
    refusesDuplicates: bank.refusesDuplicates,
    newMessageId: () => crypto.randomUUID().slice(0, 18).replaceAll("-", "").toUpperCase(),
    isPaused: async () => isPaused(),
    receiveEveryMs: 1_000,
  });
  const run = () => dispatcher.run().then(() => false);
  startLoop({ name: "bank files", everyMs, run, log });
  return createBankRail({
    name: railName,
    currency: "USD",
    transferMethods: ["ACH"],
    account: "",
    schedule,
    returnWindowDays,
    store,
    sealer: seals,
    clock: systemClock,
    overdueAfterMs: 86_400_000,
    largest: undefined,
  });
}
