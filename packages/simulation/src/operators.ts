import { create } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import type { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind, MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { RailBook, Transfer } from "./rail-book.ts";
import type { World } from "./world.ts";

/** Operators look at what is in doubt about this often, and try again after as long. */
const lookMaxMs = 12_000;
const retryMs = 1_500;

/**
 * Two people who learn by telephone what the rail does not tell, and resolve those payouts: one
 * proposes, the other confirms, both at times more than once.
 */
export class Operators {
  readonly #world: World;
  readonly #rpc: Client<typeof PayoutOperationsService>;
  readonly #book: RailBook;
  readonly #resolved = new Set<string>();
  /** What should have been refused. */
  readonly wrong: string[] = [];
  #operations = 0;

  constructor(world: World, rpc: Client<typeof PayoutOperationsService>, book: RailBook) {
    this.#world = world;
    this.#rpc = rpc;
    this.#book = book;
  }

  /** Transfers that only they can bring to an end, and have not yet. */
  get unresolved(): readonly string[] {
    const silent = [...this.#book.transfers.values()].filter(({ isSilent }) => isSilent);
    return silent.map(({ key }) => key).filter((key) => !this.#resolved.has(key));
  }

  /** Looks now and then, for as long as the run lasts. */
  start(): void {
    const look = () => void this.#look().finally(() => this.start());
    const delayMs = this.#world.random.below(lookMaxMs);
    this.#world.after(delayMs, { label: "operators look", run: look });
  }

  async #look(): Promise<void> {
    if (this.unresolved.length === 0) return;
    const found = await this.#answer(() => this.#rpc.listPayoutsInDoubt({ limit: 100 }));
    if (typeof found === "string") return;
    for (const { payout } of found.payouts) {
      const transfer = this.#book.transfers.get(payout?.id ?? "");
      if (transfer?.isSilent === true) await this.#resolve(transfer);
    }
  }

  async #resolve(transfer: Transfer): Promise<void> {
    const { random, faults } = this.#world;
    const isRejected = transfer.scenario === "rejects";
    const proposal = {
      mutation: this.#mutation("ann"),
      payoutId: transfer.key,
      outcome: isRejected ? RailOutcome.REJECTED : RailOutcome.SETTLED,
      transactionReference: isRejected ? "" : transfer.reference,
      reason: "learned from the rail by telephone",
    };
    const propose = () => this.#answer(() => this.#rpc.proposeResolution(proposal));
    const [made] = await Promise.all([propose(), ...(random.chance(0.3) ? [propose()] : [])]);
    if (typeof made === "string" || made?.resolution === undefined) return;
    const { id: resolutionId } = made.resolution;
    const confirm = (person: string) => {
      const mutation = this.#mutation(person);
      return () => this.#answer(() => this.#rpc.confirmResolution({ mutation, resolutionId }));
    };
    const alone = random.chance(0.3) ? await confirm("ann")() : "nothing";
    if (typeof alone !== "string") this.wrong.push(`${resolutionId} was confirmed by its proposer`);
    const second = confirm("bob");
    const [ended] = await Promise.all([second(), ...(random.chance(0.3) ? [second()] : [])]);
    if (typeof ended === "string") return;
    faults.count("resolved by operators");
    this.#resolved.add(transfer.key);
  }

  /** Asks until there is an answer: that, or the code of a refusal. */
  async #answer<T>(call: () => Promise<T>): Promise<T | string> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const refusal = readRefusal(error);
        if (refusal !== undefined) return refusal.code;
        const { code } = ConnectError.from(error);
        if (code === Code.Unimplemented || code === Code.InvalidArgument) throw error;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#world.after(retryMs, { label: "an operator waits", run: resolve });
        await promise;
      }
    }
  }

  #mutation(person: string) {
    this.#operations += 1;
    const actor = { kind: Actor_Kind.OPERATOR, id: person };
    return create(MutationSchema, { operationId: `resolve-${this.#operations}`, actor });
  }
}
