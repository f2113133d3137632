import { describe, expect, it } from "vitest";
import { lossProblem } from "./list-loss.ts";

describe("lossProblem", () => {
  it.each([
    [0, 0, false],
    [1, 0, false],
    [1, 1, false],
    [2, 2, true],
    [49, 1, false],
    [49, 2, true],
    [99, 1, false],
    [99, 2, true],
    [100, 2, false],
    [100, 3, true],
    [14_973, 299, false],
    [14_973, 300, true],
    [14_973, 14_973, true],
  ])("of %i entries in force, %i may be missing or not", (inForce, removed, isRefused) => {
    const problem = lossProblem({ added: 0, changed: 0, removed }, inForce, "");
    expect(problem !== undefined).toBe(isRefused);
  });

  it("counts what is new for nothing: other entries do not stand for the lost ones", () => {
    expect(lossProblem({ added: 500, changed: 0, removed: 500 }, 500, "")).toBe(
      "500 of the 500 entries in force are missing, more than 2%: give accept_drop_reason where that is right",
    );
  });

  it("takes any loss that a person gave a reason for", () => {
    const loss = { added: 0, changed: 0, removed: 500 };
    expect(lossProblem(loss, 500, "the publisher split the list")).toBeUndefined();
  });
});
