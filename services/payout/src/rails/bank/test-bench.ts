import type { OpenBankFile } from "@disburse/bank-files/reading/opened-file.ts";
import {
  type BankStore,
  type FindingDocument,
  openBankStore,
} from "@disburse/bank-rail/documents.ts";
import { swiftTransfer, testRail, testSettings, wednesday } from "@disburse/bank-rail/test-rail.ts";
import { createTestServer } from "@disburse/bank-rail/test-server.ts";
import { answersOf } from "@disburse/bank-simulator/answers.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { freshKey, instruction } from "@disburse/rail/test-contract.ts";
import type { TestPlatform } from "../../test-platform.ts";

export const newYork = (text: string) => new Date(`${text}:00.000-05:00`);
export const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A test bank's server and a clock, with the rails and operators of a platform. */
export class BankBench {
  readonly store: BankStore;
  readonly platform: TestPlatform;
  bank = createTestServer();
  now = wednesday("09:00");

  constructor(platform: TestPlatform) {
    this.platform = platform;
    this.store = openBankStore(platform.database);
  }

  /** Sets the time to Wednesday morning, resets the bank and deletes everything stored. */
  async begin(): Promise<void> {
    await Promise.all(Object.values(this.store).map((each) => each.deleteMany({})));
    this.bank = createTestServer();
    this.now = wednesday("09:00");
  }

  /** Opens an ACH rail as one process would. */
  openAch(changes: { readonly open?: OpenBankFile; readonly rail?: string } = {}) {
    const { rail, ...on } = changes;
    return this.#open(testSettings("nacha", rail === undefined ? {} : { rail }), on);
  }

  /**
   * Opens an ISO 20022 rail as one process would. Two days' statements prove that a payment was not
   * made.
   */
  openIso(changes: object = {}) {
    return this.#open(testSettings("iso20022", { unpaid_after_bank_days: 2, ...changes }));
  }

  /** Sends an ACH payment on Wednesday morning. Returns the payment and its file. */
  async sentByAch() {
    const one = this.openAch();
    const key = freshKey();
    this.now = wednesday("09:00");
    await one.rail.submit(key, instruction);
    this.now = wednesday("09:46");
    await one.dispatcher.run();
    return { one, key, bytes: this.#lastSent() };
  }

  /**
   * Sends ISO 20022 payments on Wednesday. Returns the payments, their file and the bank's
   * responses.
   */
  async sentByIso(outcomes: Parameters<typeof answersOf>[1], changes: object = {}) {
    const one = this.openIso(changes);
    const keys = outcomes.map(() => freshKey());
    this.now = wednesday("12:00");
    for (const key of keys) await one.rail.submit(key, swiftTransfer);
    this.now = wednesday("15:46");
    await one.dispatcher.run();
    const answers = answersOf(this.#lastSent(), outcomes, false);
    const statusReport = new TextDecoder().decode(answers.statusReport);
    const statement = new TextDecoder().decode(answers.statement);
    const [key = ""] = keys;
    return { one, key, keys, statusReport, statement };
  }

  /** Makes the bank send a file, and a process of its rail read the file. */
  async take(one: { readonly dispatcher: { run(): Promise<void> } }, name: string, text: string) {
    this.bank.put(name, bytesOf(text));
    for (let poll = 0; poll < 2; poll += 1) await one.dispatcher.run();
  }

  findings(filter: object = { open: true }): Promise<FindingDocument[]> {
    return this.store.findings.find(filter).sort({ kind: 1, place: 1 }).toArray();
  }

  /** Handles a finding of the bank's files as an operator. */
  handle(findingId: string, changes: object, operationId = this.platform.operation().operationId) {
    return this.platform.operatorRpc.handleBankFinding({
      mutation: { operationId, actor: { kind: Actor_Kind.OPERATOR, id: "ada" } },
      findingId,
      note: "The bank's desk says so: ticket 4711.",
      ...changes,
    });
  }

  #open(settings: ReturnType<typeof testSettings>, on: { readonly open?: OpenBankFile } = {}) {
    return testRail(settings, {
      ...on,
      store: this.store,
      server: this.bank.server,
      now: () => this.now,
    });
  }

  #lastSent(): Uint8Array {
    const [file] = this.bank.sent().slice(-1);
    if (file === undefined) throw new Error("nothing was sent");
    return file.bytes;
  }
}
