import { expect, it } from "vitest";
import { attemptsMax, horizonMs } from "../../deliveries/rules/schedule.ts";
import { transitionAfter } from "./mail.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const deadline = new Date(now.getTime() + horizonMs);
const mail = { id: "m", attempts: 1, deadline };
const failed = { kind: "failed", code: "451" } as const;

it("a sent e-mail forgets earlier rejections", () => {
  expect(transitionAfter({ kind: "sent" }, mail, 2, now)).toEqual({ state: "sent", rejections: 0 });
});

it.each([
  [true, 3],
  [false, 2],
])("a rejection of the address (%s) counts", (isAddress, rejections) => {
  const outcome = { kind: "refused", code: "550", isAddress } as const;
  expect(transitionAfter(outcome, mail, 2, now)).toEqual({ state: "refused", rejections });
});

it("a failure is retried after 5 s, which double, by at most 2% more", () => {
  for (const [attempts, seconds] of [
    [1, 5],
    [2, 10],
    [14, 40_960],
  ] as const) {
    const next = transitionAfter(failed, { ...mail, attempts }, 1, now);
    if (next.state !== "pending") throw new Error(next.state);
    const waited = (next.nextAttemptAt.getTime() - now.getTime()) / 1_000;
    expect(waited).toBeGreaterThanOrEqual(seconds);
    expect(waited).toBeLessThanOrEqual(seconds * 1.02);
  }
});

it("a failure is given up after 15 attempts, or at the deadline", () => {
  const givenUp = { state: "given_up", rejections: 1 };
  expect(transitionAfter(failed, { ...mail, attempts: attemptsMax }, 1, now)).toEqual(givenUp);
  expect(transitionAfter(failed, { ...mail, deadline: now }, 1, now)).toEqual(givenUp);
});
