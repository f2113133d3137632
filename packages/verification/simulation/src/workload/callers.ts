import { create } from "@bufbuild/protobuf";
import {
  Actor_Kind,
  type Mutation,
  MutationSchema,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { untilAnswered } from "../network/rpc-network.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const retryMaxMs = 2_000;

/** The actor of the gateway's call: a merchant's API key or team member. */
export type CalledFor = {
  readonly kind: Actor_Kind;
  readonly id: string;
  readonly root?: string;
};

export function makerOf(merchantId: string): CalledFor {
  return { kind: Actor_Kind.API_KEY, id: `key_${merchantId}` };
}

/** An API key that the creator's key created. Both keys count as the same actor. */
export function childOfMaker(merchantId: string): CalledFor {
  const { kind, id: root } = makerOf(merchantId);
  return { kind, id: `child_${merchantId}`, root };
}

/**
 * A member of a merchant's team who decides on the merchant's payouts. `number` selects the member.
 */
export function approverOf(merchantId: string, number: number): CalledFor {
  return { kind: Actor_Kind.MEMBER, id: `mem_${merchantId}_${number}` };
}

export function mutationFor(actor: CalledFor, operationId: string): Mutation {
  return create(MutationSchema, { operationId, actor });
}

/** Simulates the gateway, which repeats calls without a response under the same operation id. */
export class Callers {
  readonly #scheduler: Scheduler;
  readonly #name: string;
  #operations = 0;

  constructor(scheduler: Scheduler, name: string) {
    this.#scheduler = scheduler;
    this.#name = name;
  }

  operation(): string {
    this.#operations += 1;
    return `${this.#name}-${this.#operations}`;
  }

  /**
   * Repeats a call until it is answered. Returns the result, a refusal code, or a text that says
   * that the caller gave up.
   */
  ask<T>(call: () => Promise<T>, impatience = 0): Promise<T | string> {
    const { random } = this.#scheduler;
    return untilAnswered(call, async () => {
      if (random.chance(impatience)) return "GIVEN_UP";
      return this.pause(100 + random.below(retryMaxMs));
    });
  }

  /**
   * Sends a call one to three times concurrently, as if answers had been lost. Returns each answer.
   */
  askTwice<T>(call: () => Promise<T>): Promise<(T | string)[]> {
    const { random } = this.#scheduler;
    const times = random.chance(0.3) ? 2 + random.below(2) : 1;
    return Promise.all(Array.from({ length: times }, () => this.ask(call)));
  }

  pause(ms: number): Promise<void> {
    return this.#scheduler.pause(ms, "a caller waits");
  }
}
