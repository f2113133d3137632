import { type ExactJson, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { violationsMessage } from "@disburse/kernel/refusal.ts";
import { expect, test } from "vitest";
import { checkBody } from "./checks/body.ts";
import { readBody } from "./checks/read.ts";
import { beneficiaryForms } from "./describe/discovery.ts";
import { bodyExamples, exampleOf } from "./describe/examples.ts";
import { formSchema, selectedValues, selectorOf } from "./describe/json-schema.ts";
import type { BodyValues, Form, PublicBody } from "./fields/field.ts";
import { publicBodies } from "./test-bodies.ts";

/*
 * Records schemas, discovery, examples, and the result for every field with valid and invalid
 * values. A changed table shows here as merchants see it. Read the difference, and update the file
 * with `vitest -u` only if every line is intended.
 */

const now = new Date("2026-11-20T11:26:00.123Z");
const json = (value: unknown) =>
  JSON.stringify(value, (_, each) => (each instanceof Map ? Object.fromEntries(each) : each));

test("schemas, examples and discovery match the recorded ones", async () => {
  const lines = publicBodies.flatMap((body) => [
    `${body.name} ${json(selectorOf(body))}`,
    ...[...body.forms, body.unselected].flatMap((form) => [
      `${body.name} ${form.name} ${json(formSchema(form))}`,
      `  ${json(selectedValues(form))} ${json(exampleOf(form))}`,
    ]),
    `  ${json(bodyExamples(body))}`,
  ]);
  const narrowed = { allowed: { destination_currency: ["BTC", "INR"] } } as const;
  const forms = [...beneficiaryForms({}), ...beneficiaryForms({}, narrowed.allowed)];
  const text = [...lines, ...forms.map(json)].join("\n");
  await expect(`${text}\n`).toMatchFileSnapshot("test-golden/tables.txt");
});

/** More entries than any list may have. */
const many = Array.from({ length: 40 }, () => ({}));

/** Values to send for a field, including several mutilations of its example's text. */
function sentFor(example: unknown): unknown[] {
  const text = typeof example === "string" ? example : "";
  const texts = [
    ...["", " ", ` ${text} `, `${text}x`, text.slice(1), text.toLowerCase(), text.toUpperCase()],
    ...[`${text}\n`, `${text}🎉`, text.replace(/\d/, "9"), "x".repeat(256), "0", "-1", "1.5"],
    ...["US", "GB", "INR", "BTC", "2026-11-20", "2026-11-21", "Individual", "Corporate"],
  ];
  return [
    ...texts,
    null,
    true,
    0,
    7,
    1e9,
    [],
    [text],
    [text, text],
    ["x"],
    {},
    [{}],
    { a: 1 },
    many,
  ];
}

function answer(body: PublicBody, form: Form, sent: BodyValues): string {
  const { values, unreadable } = readBody(body, parseExactJson(json(sent)) as ExactJson);
  const checked = checkBody(body, values, { now, unreadable });
  if (Array.isArray(checked)) return violationsMessage(checked);
  return checked.form.name === form.name ? "ok" : checked.form.name;
}

test("every field of every form gives the recorded result", async () => {
  const lines = publicBodies.flatMap((body) => [
    `${body.name} without a form: ${answer(body, body.unselected, {})}`,
    ...body.forms.flatMap((form) => {
      const example = exampleOf(form);
      const whole = `${body.name} ${form.name}: ${answer(body, form, example)}`;
      const one = form.fields.flatMap(({ name }) => {
        const { [name]: of, ...others } = example;
        return [
          `  without ${name}: ${answer(body, form, others)}`,
          ...sentFor(of).map((each) => {
            const sent = { ...others, [name]: each } as BodyValues;
            return `  ${name} ${json(each).slice(0, 60)}: ${answer(body, form, sent)}`;
          }),
        ];
      });
      return [whole, ...one];
    }),
  ]);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("test-golden/answers.txt");
});
