import { readAch } from "@disburse/bank-files/nacha/read.ts";
import { sha256Of } from "@disburse/bank-rail/contents.ts";
import { type AchAnswer, achAnswers } from "@disburse/bank-rail/nacha/test-bank.ts";
import { createTestServer } from "@disburse/bank-rail/test-server.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const pollMaxMs = 3_000;
const dayMs = 86_400_000;
/** Delays of the bank's answers. Some end before a credit counts as settled, others after. */
const answerDelaysMs = [2_000, 10_000, 20_000, dayMs, 6 * dayMs];

type Paid = { readonly account: number; readonly cents: bigint };

/** Accepts files through a server, pays their credits and returns some. */
export class SimulatedBank {
  readonly #scheduler: Scheduler;
  readonly #server = createTestServer();
  readonly #known = new Set<string>();
  /** True if the bank refuses a repeated file, false if it pays again. */
  readonly refusesDuplicates: boolean;
  readonly paid: Paid[] = [];
  readonly returned: number[] = [];
  /** Hashes of the files that the bank sent to us. */
  readonly answers: string[] = [];
  /** Hashes of the files that are about our payments. */
  readonly aboutOurs = new Set<string>();
  #taken = 0;
  #pending = 0;
  #put = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    const { random } = scheduler;
    this.refusesDuplicates = random.chance(0.5);
    this.#server.knobs.isArchiveHidden = random.chance(0.5);
    this.#poll();
  }

  /** Returns a process's view of the server, in which each operation is delivered separately. */
  get serverFor() {
    return this.#server.serverFor;
  }

  /** All files that ever had a final name. */
  get sent() {
    return this.#server.sent();
  }

  /** Returns true if no answers are pending. */
  isQuiet(): boolean {
    return this.#pending === 0 && this.#taken === this.sent.length;
  }

  #poll(): void {
    const { random } = this.#scheduler;
    const run = () => {
      this.#takeFiles();
      this.#poll();
    };
    this.#scheduler.after(1 + random.below(pollMaxMs), { label: "the bank polls", run });
  }

  #takeFiles(): void {
    const { faults, random } = this.#scheduler;
    for (const { bytes } of this.sent.slice(this.#taken)) this.#takeFile(bytes);
    this.#taken = this.sent.length;
    if (random.chance(0.8)) this.#server.takeAway();
    if (faults.happens("bank: file not readable", 0.03)) {
      this.#putLater(new TextEncoder().encode(`no file of ours: ${random.below(1_000)}`));
    }
  }

  #takeFile(bytes: Uint8Array): void {
    const { faults } = this.#scheduler;
    const hash = sha256Of(bytes);
    const isKnown = this.#known.has(hash);
    this.#known.add(hash);
    if (isKnown && this.refusesDuplicates) {
      faults.count("bank: duplicate refused");
      return;
    }
    const file = readAch(bytes);
    if (isRefused(file)) throw new Error(`a sent file is not a NACHA file: ${file.detail}`);
    const credits = file.batches
      .flatMap(({ entries }) => entries)
      .map(({ account, cents }) => ({ account: Number(account), cents }));
    this.paid.push(...credits);
    for (const at of credits.keys()) this.#answer(bytes, credits, at);
  }

  #answer(bytes: Uint8Array, credits: readonly Paid[], at: number): void {
    const { faults } = this.#scheduler;
    const one = (answer: AchAnswer) =>
      achAnswers(
        bytes,
        credits.map((_each, other) => (other === at ? answer : undefined)),
      );
    if (faults.happens("bank: change proposed", 0.1)) {
      this.#putOurs(one({ code: "C01", corrected: "1234567" }));
    }
    if (faults.happens("bank: return of another's", 0.1)) {
      this.#putLater(ofAnother(one({ code: "R02" })));
    }
    if (!faults.happens("bank: returned", 0.25)) return;
    this.returned.push(credits[at]?.account ?? 0);
    const answer = one({ code: "R03" });
    this.#putOurs(answer);
    if (faults.happens("bank: answered twice", 0.3)) this.#putOurs(answer);
  }

  #putOurs(bytes: Uint8Array): void {
    this.aboutOurs.add(sha256Of(bytes));
    this.#putLater(bytes);
  }

  #putLater(bytes: Uint8Array): void {
    const { random, faults } = this.#scheduler;
    this.#pending += 1;
    this.#put += 1;
    const name = `answer-${this.#put}.ach`;
    const put = () => {
      this.#server.put(name, bytes);
      this.answers.push(sha256Of(bytes));
      this.#pending -= 1;
    };
    const delayMs = random.below(random.pick(answerDelaysMs));
    const run = () => {
      if (!faults.happens("bank: written slowly", 0.2)) return put();
      this.#server.put(name, bytes.subarray(0, random.below(bytes.length)));
      this.#scheduler.after(random.below(pollMaxMs), { label: "the bank has written", run: put });
    };
    this.#scheduler.after(delayMs, { label: "the bank writes", run });
  }
}

/**
 * Changes a return so that it is about a credit that isn't ours. None of our files has an entry
 * with this number.
 */
function ofAnother(answer: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(answer);
  return new TextEncoder().encode(text.replace(/^(799R02\d{8})\d{7}/gm, "$19999999"));
}
