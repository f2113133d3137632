import { setTimeout as pause } from "node:timers/promises";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Answer, exchange, type NoAnswer } from "../exchange.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Endpoints } from "./endpoints.ts";
import type { ObserveClient } from "./observe.ts";
import { createRepeatBudget, isRepeatable, pauseBefore, triesMax } from "./repeats.ts";

/** Where calls go, and where it is said what became of them. */
export type SenderOptions = { readonly endpoints: Endpoints; readonly observe: ObserveClient };

/** A unary call as it goes out. */
export type OutgoingCall = {
  readonly method: DescMethodUnary;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
};

/**
 * Sends a call to an endpoint of its service, and again where it got no answer and sending it twice
 * does no harm: three tries at most, within the call's time and the client's budget of repeats.
 *
 * @throws {ConnectError} UNAVAILABLE without an answer, DEADLINE_EXCEEDED, CANCELED.
 */
export function createSender({ endpoints, observe }: SenderOptions) {
  const budget = createRepeatBudget();
  const attempt = async (call: OutgoingCall, to: Endpoint, mayLeave: MayLeave) => {
    const { method, headers, body, signal, timeoutMs } = call;
    const request = {
      path: `${to.base}/${method.parent.typeName}/${method.name}`,
      method: "POST" as const,
      headers:
        timeoutMs === undefined ? headers : { ...headers, "connect-timeout-ms": `${timeoutMs}` },
      body,
    };
    const answer = await exchange(to, request, { signal, timeoutMs, mayLeave });
    if (!("reason" in answer) && isDoubtful(answer)) endpoints.doubt(to);
    return answer;
  };

  /** A call that hangs leaves once: only what may be sent twice, or was not sent. */
  const leaves = (call: OutgoingCall) => (wasSent: boolean) =>
    endpoints.areSeveral() && (!wasSent || isRepeatable(call.method)) && budget.take();

  /** Whether a call without an answer is sent again; a pause that was granted is over then. */
  const mayRepeat = async (call: OutgoingCall, tries: number, { reason }: NoAnswer) => {
    // It was granted when the call left.
    if (reason === "hung") return true;
    const isHarmless =
      reason === "refused" || (endpoints.areSeveral() && isRepeatable(call.method));
    if (tries >= triesMax || !isHarmless || !budget.take()) return false;
    await pause(pauseBefore(tries, Math.random), undefined, { signal: call.signal }).catch(() => {
      throw ConnectError.from(call.signal?.reason, Code.Canceled);
    });
    return true;
  };

  const repeat = async (call: OutgoingCall, first: Endpoint, noAnswer: NoAnswer, at: number) => {
    const tried = new Set<Endpoint>();
    let to = first;
    let last = noAnswer;
    for (let tries = 1; ; tries += 1) {
      tried.add(to);
      if (last.reason !== "hung") endpoints.failed(to, last.reason);
      if (!(await mayRepeat(call, tries, last))) throw last.error;
      const timeoutMs = remaining(call, at);
      observe.repeated(last.reason);
      to = endpoints.choose(tried) ?? to;
      const answer = await attempt({ ...call, timeoutMs }, to, never);
      if (!("reason" in answer)) return answer;
      last = answer;
    }
  };

  return async (call: OutgoingCall): Promise<Answer> => {
    budget.called();
    const at = performance.now();
    const to = endpoints.choose() ?? (await endpoints.resolved());
    const answer = await attempt(call, to, leaves(call));
    return "reason" in answer ? repeat(call, to, answer, at) : answer;
  };
}

type MayLeave = (wasSent: boolean) => boolean;

const never: MayLeave = () => false;

/** The endpoint ends its connections or cannot work: it may be about to stop. */
const isDoubtful = ({ status, headers }: Answer) =>
  status === 503 || headers.connection === "close";

/** The time that a call has left of its own, in whole milliseconds. */
function remaining({ timeoutMs }: OutgoingCall, startedMs: number): number | undefined {
  if (timeoutMs === undefined) return undefined;
  const leftMs = Math.floor(timeoutMs - (performance.now() - startedMs));
  if (leftMs <= 0) throw new ConnectError("the operation timed out", Code.DeadlineExceeded);
  return leftMs;
}
