import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, Bank } from "./bank.ts";
import type { BankOptions } from "./bank-options.ts";
import type { Book } from "./book.ts";

export type SimulatorOptions = Partial<BankOptions> & {
  /** The folder for files from customers, and the folder for files from the bank. */
  readonly outgoing: string;
  readonly incoming: string;
  /** The treatment of a processed file: it stays, is deleted, or is archived. */
  readonly taken?: "stays" | "goes" | "archived";
  readonly archive?: string;
  /**
   * Pause in ms before each stage of an answer (`bank.ts`). With `by-hand`, the bank sends nothing
   * until `deliver` is called.
   */
  readonly pace?: number | "by-hand";
  /** True writes a file under its final name in two halves, so that a reader may see half of it. */
  readonly writesSlowly?: boolean;
};

const pollEveryMs = 50;
/** Pause between the halves of a slowly written file. */
const halfMs = 300;

/** Runs a bank on two local folders. After `stop`, the bank's book can still be read. */
export class BankSimulator {
  readonly bank: Bank;
  readonly #options: SimulatorOptions;
  readonly #had = new Set<string>();
  readonly #held: Answer[] = [];
  readonly #sent: Answer[] = [];
  readonly #ends = new AbortController();
  readonly #background = new Set<Promise<void>>();
  readonly #errors: unknown[] = [];

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.bank = new Bank(options);
    if (options.archive !== undefined) mkdirSync(options.archive, { recursive: true });
    this.#beside(this.#run());
  }

  get book(): Book {
    return this.bank.book;
  }

  get sent(): readonly Answer[] {
    return this.#sent;
  }

  /**
   * Sends the files that the bank holds. By default, sends all of them in the order in which they
   * were created.
   */
  async deliver(order: (held: Answer[]) => readonly Answer[] = (all) => all): Promise<void> {
    for (const each of order(this.#held.splice(0))) await this.#send(each);
  }

  async repeat(): Promise<void> {
    const again = this.#sent.map((each) => ({ ...each, name: `again-${each.name}` }));
    for (const each of again) await this.#send(each);
  }

  async closeDay(on?: string): Promise<void> {
    await this.#answer(this.bank.closeDay(on));
  }

  /** Returns a paid payment less a charge. */
  async giveBack(endToEndId: string, charge?: bigint): Promise<void> {
    await this.#answer(this.bank.giveBack(endToEndId, charge));
  }

  async release(endToEndId: string): Promise<void> {
    await this.#answer(this.bank.release(endToEndId));
  }

  async stop(): Promise<void> {
    this.#ends.abort();
    await Promise.all(this.#background);
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  async #run(): Promise<void> {
    const { signal } = this.#ends;
    while (!signal.aborted) {
      this.#poll();
      await pause(pollEveryMs, undefined, { signal });
    }
  }

  #poll(): void {
    const { outgoing, archive = "", taken = "stays" } = this.#options;
    for (const name of readdirSync(outgoing).sort()) {
      if (name.endsWith(".part") || name.startsWith(".")) continue;
      const path = join(outgoing, name);
      const { ino, size, mtimeMs } = statSync(path);
      const key = `${name} ${ino} ${size} ${mtimeMs}`;
      if (this.#had.has(key)) continue;
      this.#had.add(key);
      const bytes = readFileSync(path);
      if (taken === "goes") rmSync(path);
      if (taken === "archived") renameSync(path, join(archive, name));
      this.#beside(this.#answer(this.bank.receive(bytes)));
    }
  }

  async #answer(answers: readonly Answer[]): Promise<void> {
    const { pace = 0 } = this.#options;
    if (pace === "by-hand") {
      this.#held.push(...answers);
      return;
    }
    for (const stage of [0, 1, 2] as const) {
      const own = answers.filter((each) => each.stage === stage);
      if (own.length === 0) continue;
      await pause(pace, undefined, { signal: this.#ends.signal });
      for (const each of own) await this.#send(each);
    }
  }

  async #send(answer: Answer): Promise<void> {
    const { incoming, writesSlowly = false } = this.#options;
    this.#sent.push(answer);
    await write(join(incoming, answer.name), answer.bytes, writesSlowly);
  }

  /** Runs work in the background. `stop` throws the errors of this work. */
  #beside(work: Promise<void>): void {
    const noted = work.catch((error: unknown) => {
      if (!this.#ends.signal.aborted) this.#errors.push(error);
    });
    this.#background.add(noted);
    void noted.finally(() => this.#background.delete(noted));
  }
}

/**
 * If `isSlow`, writes the file under its final name. Otherwise writes a draft and renames it when
 * complete.
 */
async function write(path: string, bytes: Uint8Array, isSlow: boolean): Promise<void> {
  if (isSlow) {
    writeFileSync(path, bytes.subarray(0, bytes.length / 2));
    await pause(halfMs);
    writeFileSync(path, bytes);
    return;
  }
  const part = join(path, "..", `.${path.split("/").at(-1)}.part`);
  writeFileSync(part, bytes);
  renameSync(part, path);
}
