import { formatAmount } from "@disburse/kernel/money.ts";
import type { Instruction, Rail, RailReply } from "@disburse/payout/rails/rail.ts";
import type { Life } from "./life.ts";
import { SimulatedFault } from "./process-log.ts";
import type { RailBook, Transfer } from "./rail-book.ts";
import { railName, readMessage } from "./rail-message.ts";
import type { World } from "./world.ts";

const hopMs = 30;
const outageMaxMs = 20_000;
/** Longer than a process waits for a rail: what is sent may arrive after it was asked for. */
const slowMs = 15_000;

/** Which key a process sends under: its payout's; a test may take another. */
export type KeyOf = (payoutId: string) => string;

/** The rail as processes reach it; its book is its own. */
export class SimulatedRail {
  readonly #world: World;
  readonly #book: RailBook;
  readonly #onTaken: (transfer: Transfer) => void;
  #upAgainMs = 0;

  constructor(world: World, book: RailBook, onTaken: (transfer: Transfer) => void) {
    this.#world = world;
    this.#book = book;
    this.#onTaken = onTaken;
  }

  disturb(): void {
    const { faults, random } = this.#world;
    if (!faults.happens("rail: down", 0.05)) return;
    this.#upAgainMs = this.#world.nowMs() + random.below(outageMaxMs);
  }

  heal(): void {
    this.#upAgainMs = 0;
  }

  /** The rail as one process has it. */
  connect(life: Life, keyOf: KeyOf = (payoutId) => payoutId): Rail {
    return {
      name: railName,
      capabilities: {
        currencies: ["USD", "INR"],
        transferMethods: ["LOCAL"],
        networks: [],
        limits: {},
      },
      available: () => this.#call(life, "available", () => this.#isUp()),
      submit: (key, instruction) =>
        this.#call(life, "submit", () => this.#submit(keyOf(key), instruction)),
      query: (key) => this.#call(life, "query", () => this.#query(keyOf(key))),
      readCallback: readMessage,
    };
  }

  #isUp(): boolean {
    return this.#world.nowMs() >= this.#upAgainMs;
  }

  #submit(key: string, { amount, currency }: Instruction): RailReply {
    if (!this.#isUp()) throw new SimulatedFault("the rail is down");
    const { transfer, isNew } = this.#book.take(key, amount, currency);
    if (isNew) this.#onTaken(transfer);
    return this.#answer(transfer);
  }

  #query(key: string): RailReply {
    if (!this.#isUp()) throw new SimulatedFault("the rail is down");
    const transfer = this.#book.transfers.get(key);
    return transfer === undefined ? { status: { kind: "not_received" } } : this.#answer(transfer);
  }

  #answer(transfer: Transfer): RailReply {
    const nowMs = this.#world.nowMs();
    if (transfer.isSilent || transfer.unknownAnswers > 0) {
      transfer.unknownAnswers -= 1;
      return { status: { kind: "unknown" }, pollAfterMs: 1_000 };
    }
    const { scenario, reference, decidedMs, returnedMs } = transfer;
    const openMs = decidedMs - nowMs;
    if (openMs > 0) return { status: { kind: "accepted" }, pollAfterMs: openMs };
    if (scenario === "rejects") return { status: { kind: "rejected" } };
    const transferred = transferredBy(transfer);
    if (scenario === "settles") return { status: { kind: "settled", reference }, transferred };
    if (nowMs >= returnedMs) return { status: { kind: "returned", reference }, transferred };
    const isSoon = scenario === "returns";
    const again = isSoon ? { pollAfterMs: returnedMs - nowMs } : {};
    return { status: { kind: "settled", reference }, transferred, ...again };
  }

  /** A call there and back: one that is lost on the way back has been heard all the same. */
  #call<T>(life: Life, label: string, effect: () => T): Promise<T> {
    const { faults, random } = this.#world;
    const later = (what: string, run: () => void, owner?: Life) => {
      const delayMs = faults.happens("rail: slow", 0.03) ? slowMs : hopMs;
      this.#world.after(random.fraction() * delayMs, {
        label: `rail ${label} ${what}`,
        owner,
        run,
      });
    };
    return new Promise((resolve, reject) => {
      const fail = () => later("failed", () => reject(new SimulatedFault("no answer")), life);
      later(`by ${life.name}`, () => {
        if (faults.happens("rail: request lost", 0.04)) return fail();
        const settle = settlement(effect, resolve, reject);
        if (faults.happens("rail: answer lost", 0.06)) return fail();
        later("answered", settle, life);
      });
    });
  }
}

/** What the rail says that it paid. */
export function transferredBy({ amount, currency }: Pick<Transfer, "amount" | "currency">) {
  return { amount: formatAmount(amount, currency), currency };
}

function settlement<T>(
  effect: () => T,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const value = effect();
    return () => resolve(value);
  } catch (error) {
    return () => reject(error);
  }
}
