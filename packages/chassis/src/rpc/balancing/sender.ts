import { setTimeout as pause } from "node:timers/promises";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Answer, exchange, type NoAnswer } from "../exchange.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Endpoints } from "./endpoints.ts";
import type { ObserveClient } from "./observe.ts";
import { createRepeatBudget, isRepeatable, pauseBefore, triesMax } from "./repeats.ts";

export type SenderOptions = { readonly endpoints: Endpoints; readonly observe: ObserveClient };

export type OutgoingCall = {
  readonly method: DescMethodUnary;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  /** The start time of the call, from `performance.now()`. */
  readonly startedMs: number;
};

/** Sends calls to the endpoints of a service, within a budget of repeats. */
export function createSender({ endpoints, observe }: SenderOptions) {
  const budget = createRepeatBudget();
  const attempt = (call: OutgoingCall, to: Endpoint, mayMove: MayMove) => {
    const { method, headers, body, signal, timeoutMs } = call;
    const path = `${to.base}/${method.parent.typeName}/${method.name}`;
    const limits = { signal, timeoutMs, mayMove };
    return exchange(to, { path, method: "POST", headers, body }, limits);
  };
  /**
   * Returns true if a hung call may move to another endpoint. It must not have been sent, or it
   * must be repeatable.
   */
  const mayMove = ({ method }: OutgoingCall) => {
    return (wasSent: boolean) =>
      endpoints.areSeveral() && (!wasSent || isRepeatable(method)) && budget.take();
  };
  /** Waits for the pause before a repeat. Returns false if the call may not be repeated. */
  const mayRepeat = async (call: OutgoingCall, tries: number, { reason }: NoAnswer) => {
    // The repeat was already taken from the budget when the call was cancelled.
    if (reason === "hung") return true;
    const isHarmless =
      reason === "refused" || (endpoints.areSeveral() && isRepeatable(call.method));
    if (tries >= triesMax || !isHarmless || !budget.take()) return false;
    await pause(pauseBefore(tries, Math.random), undefined, { signal: call.signal }).catch(() => {
      throw ConnectError.from(call.signal?.reason, Code.Canceled);
    });
    return true;
  };
  return {
    /**
     * Returns the endpoint for a call. Fails with UNAVAILABLE if the service's name has no address.
     */
    choose: () => endpoints.choose() ?? endpoints.resolved(),
    /** Sends a call to an endpoint for the first time. */
    send: (call: OutgoingCall, to: Endpoint): Promise<Answer | NoAnswer> => {
      budget.called();
      return attempt(call, to, mayMove(call));
    },
    /**
     * Reports an endpoint that closes connections or is unavailable, because it may be about to
     * stop.
     */
    noteAnswer: ({ status, headers }: Answer, from: Endpoint): void => {
      if (status === 503 || headers.connection === "close") endpoints.suspect(from);
    },
    /**
     * Repeats a call that got no response, if the call is repeatable. There are at most three
     * attempts within the call's time limit.
     *
     * @throws {ConnectError} UNAVAILABLE without a response, DEADLINE_EXCEEDED, CANCELED.
     */
    sendAgain: async (call: OutgoingCall, first: Endpoint, noAnswer: NoAnswer) => {
      const tried = new Set<Endpoint>();
      let [to, last] = [first, noAnswer];
      for (let tries = 1; ; tries += 1) {
        tried.add(to);
        if (last.reason !== "hung") endpoints.failed(to, last.reason);
        if (!(await mayRepeat(call, tries, last))) throw last.error;
        const timeoutMs = remaining(call);
        observe.repeated(last.reason);
        to = endpoints.choose(tried) ?? to;
        const headers = { ...call.headers, ...timeoutHeader(timeoutMs) };
        const answer = await attempt({ ...call, headers, timeoutMs }, to, never);
        if (!("reason" in answer)) return answer;
        last = answer;
      }
    },
  };
}

/** Returns the header that tells the server the remaining time of a call. */
export const timeoutHeader = (timeoutMs: number | undefined): Record<string, string> =>
  timeoutMs === undefined ? {} : { "connect-timeout-ms": `${timeoutMs}` };

type MayMove = (wasSent: boolean) => boolean;

const never: MayMove = () => false;

/** Returns the remaining time of a call's own limit, in whole milliseconds. */
function remaining({ timeoutMs, startedMs }: OutgoingCall): number | undefined {
  if (timeoutMs === undefined) return undefined;
  const leftMs = Math.floor(timeoutMs - (performance.now() - startedMs));
  if (leftMs <= 0) throw new ConnectError("the operation timed out", Code.DeadlineExceeded);
  return leftMs;
}
