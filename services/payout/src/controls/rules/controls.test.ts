import { expect, it } from "vitest";
import { type ControlsText, controlViolations, readControls } from "./controls.ts";

const max = 7_776_000;

it.each<[string, ControlsText, string[]]>([
  ["none", {}, []],
  ["a second", { duplicate_window_seconds: 1 }, []],
  ["90 days", { duplicate_window_seconds: max }, []],
  ["more", { duplicate_window_seconds: max + 1 }, ["duplicate_window_seconds"]],
  ["below zero", { duplicate_window_seconds: -1 }, ["duplicate_window_seconds"]],
])("%s", (_what, text, fields) => {
  expect(controlViolations(text).map(({ field }) => field)).toEqual(fields);
});

it("a window of no seconds is no guard", () => {
  expect(readControls({})).toEqual({ duplicateWindowMs: undefined });
  expect(readControls({ duplicate_window_seconds: 0 })).toEqual({ duplicateWindowMs: undefined });
  expect(readControls({ duplicate_window_seconds: 2 })).toEqual({ duplicateWindowMs: 2_000 });
});
