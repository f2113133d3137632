import { expect, it } from "vitest";
import { matchedLines } from "./corrections.ts";

const line = (id: string, referenceId: string, change: object = {}) => ({
  ...{
    id,
    firstId: id,
    referenceId,
    hasFailed: true,
    correctedBy: undefined,
    isCorrected: false,
    ...change,
  },
});
const problems = (earlier: ReturnType<typeof line>[], references: string[]) =>
  matchedLines(earlier, references).map((match) => ("problem" in match ? match.problem : match.id));

it("pays each failed line again once", () => {
  expect(problems([line("1", "a"), line("2", "a")], ["a", "a", "a"])).toEqual([
    ...["1", "2", "was corrected before: another line or batch pays this line"],
  ]);
});

it.each([
  ["without a reference", "", "is required to correct a failed line"],
  ["of another batch", "b", "must be that of a line of the corrected batch"],
  [
    "of a line that has not failed",
    "paid",
    "must be that of a failed line: this line has not failed",
  ],
  ["of a corrected line", "again", "was corrected before: another line or batch pays this line"],
])("refuses a line %s", (_which, reference, problem) => {
  const earlier = [
    line("1", ""),
    line("2", "paid", { hasFailed: false }),
    line("3", "again", { correctedBy: "bat_2.00001", isCorrected: true }),
  ];
  expect(problems(earlier, [reference])).toEqual([problem]);
});

it("takes the failed one of two lines with the same reference", () => {
  const earlier = [line("1", "a", { hasFailed: false }), line("2", "a")];
  expect(problems(earlier, ["a", "a"])[0]).toBe("2");
});

it("may correct a line whose correction failed", () => {
  expect(problems([line("1", "a", { correctedBy: "bat_2.00001" })], ["a"])).toEqual(["1"]);
});
