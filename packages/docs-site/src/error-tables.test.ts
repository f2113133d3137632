import type { Document } from "@disburse/sdk/generator/document.ts";
import { expect, it } from "vitest";
import { completedErrors } from "./error-tables.ts";

const guide = `# Errors

## Every code

| code | status | when |
| --- | --- | --- |
| \`A_CODE\` | 400 | In our words. |

## Reasons

| reason | of | meaning |
| --- | --- | --- |
`;

const examples = {
  A_CODE: { value: { code: "A_CODE", message: "In others' words." } },
  NEW_CODE: { value: { code: "NEW_CODE", message: "It is new." } },
};
const document = {
  paths: {
    "/a": { get: { responses: { "409": { $ref: "#/components/responses/BOTH" } } } },
  },
  components: {
    responses: { BOTH: { content: { "application/json": { examples } } } },
    schemas: {
      ApiError: {
        properties: {
          code: { anyOf: [{ enum: ["A_CODE", "NEW_CODE"] }, { type: "string" }] },
          reason: { description: "Why.\n\n- `a_reason`: A cause." },
        },
      },
    },
  },
} as unknown as Document;

it("adds missing rows once and keeps the guide's own rows", () => {
  const completed = completedErrors(guide, document);
  expect(completed).toBe(
    guide
      .replace("words. |\n", "words. |\n| `NEW_CODE` | 409 | It is new. |\n")
      .replace(/(Reasons.*)$/s, "$1| `a_reason` | see its code | A cause. |\n"),
  );
  expect(completedErrors(completed, document)).toBe(completed);
});
