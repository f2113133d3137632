import { expect, it } from "vitest";
import { pause, resume } from "./pause.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20) + seconds * 1_000);

it("pauses once, for its first reason", () => {
  const paused = pause({}, "gone", at(1));
  expect(paused).toEqual({ pausedAt: at(1), pausedFor: "gone" });
  expect(pause(paused, "requested", at(2))).toEqual({});
});

it("resumes only a paused endpoint", () => {
  expect(resume({}, at(1))).toEqual({});
  expect(resume({ resumedAt: at(1), pausedMs: 5 }, at(2))).toEqual({});
});

it("adds up the time of all pauses", () => {
  const first = resume({ pausedAt: at(10), pausedFor: "gone" }, at(13));
  expect(first).toEqual({
    pausedAt: undefined,
    pausedFor: undefined,
    resumedAt: at(13),
    pausedMs: 3_000,
  });
  expect(resume({ ...first, ...pause(first, "requested", at(20)) }, at(25))).toMatchObject({
    resumedAt: at(25),
    pausedMs: 8_000,
  });
});

it("never counts negative time after a clock was set back", () => {
  expect(resume({ pausedAt: at(10) }, at(8))).toMatchObject({ pausedMs: 0 });
});
