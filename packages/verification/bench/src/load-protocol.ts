import type { Known } from "./answers.ts";
import type { ScenarioName, Target } from "./scenarios.ts";

/** When a closed loop ends: after a time, or after a number of requests. */
export type LoopEnd = { readonly seconds: number } | { readonly requests: number };

/** What the load generator is told, one after the other, as messages between processes. */
export type LoadJob =
  /** Names a target; reads of it may ask for the payouts. */
  | {
      readonly kind: "target";
      readonly name: string;
      readonly target: Target;
      readonly payouts: readonly Known[];
    }
  | {
      readonly kind: "run";
      readonly name: string;
      readonly scenario: ScenarioName;
      readonly cursor: string;
      readonly concurrency: number;
      readonly end: LoopEnd;
    }
  /** The floor is asked for as many bytes as the platform answers with. */
  | {
      readonly kind: "floor";
      readonly url: string;
      readonly method: "GET" | "POST";
      readonly requestBytes: number;
      readonly answerBytes: number;
      readonly concurrency: number;
      readonly end: LoopEnd;
    };

/** What a run came to; every answer was checked. Zero requests for a job that makes none. */
export type LoadResult = {
  readonly requests: number;
  readonly elapsed_ms: number;
  readonly per_s: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Of the last request. */
  readonly method: "GET" | "POST";
  readonly requestBytes: number;
  readonly answerBytes: number;
  /** Successful executes of the target since it was named. */
  readonly executed: number;
};

/** What comes back for a job. */
export type LoadReply = { readonly result: LoadResult } | { readonly failure: string };
