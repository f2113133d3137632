import type { Loss } from "./fault.ts";
import type { Gaps } from "./load/gap-log.ts";

export type Row = {
  readonly name: string;
  readonly requests: number;
  readonly gaps: Gaps;
  readonly allowed: Gaps;
  /** The longest repeating request with its tries. */
  readonly longest: string;
};

/** New requests succeed again this soon. An election begins after 10 s without a primary. */
const newMsMax: Readonly<Record<Loss, number>> = {
  planned: 2_500,
  unplanned: 15_000,
};
/** A repeated request may be one of those that met the outage, so its key may be in use. */
const repeatingMoreMs = 3_000;

/** The duration of a round of elections that no member wins. The database sets it. */
export const lostRoundMs = 15_000;

/**
 * Returns the longest gaps that a fault may cause. A bound begins when the fault itself leaves a
 * majority, so `awayMs` comes on top.
 */
export function allowedGaps(loss: Loss, awayMs: number, slack: number): Gaps {
  const newMs = awayMs + newMsMax[loss] * slack;
  return { newMs, repeatingMs: newMs + repeatingMoreMs * slack };
}

export function exceeded({ gaps, allowed, longest }: Row): string[] {
  const repeating = tooLong("a repeating request", gaps.repeatingMs, allowed.repeatingMs);
  return [
    ...tooLong("a new request", gaps.newMs, allowed.newMs),
    ...repeating.map((problem) => `${problem}: ${longest}`),
  ];
}

function tooLong(what: string, ms: number, allowedMs: number): string[] {
  return ms <= allowedMs ? [] : [`${what} waited ${seconds(ms)} s, not ${seconds(allowedMs)} s`];
}

const seconds = (ms: number): string => String(Math.round(ms / 100) / 10);

const widths = [26, 10, 18, 24] as const;

export function tableOf(rows: readonly Row[]): string[] {
  const lines = rows.map(({ name, requests, gaps, allowed }) => [
    name,
    String(requests),
    `${seconds(gaps.newMs)} (${seconds(allowed.newMs)})`,
    `${seconds(gaps.repeatingMs)} (${seconds(allowed.repeatingMs)})`,
  ]);
  const head = ["fault", "requests", "new: s (allowed)", "repeating: s (allowed)"];
  return [head, ...lines].map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("")
      .trimEnd(),
  );
}
