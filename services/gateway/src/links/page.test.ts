import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { BeneficiaryFormSchema } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  brandStyle,
  choicePage,
  closedPage,
  formPage,
  receivedBeforePage,
  receivedPage,
} from "./page.ts";

const form = create(BeneficiaryFormSchema, {
  ...{ body: "fiat", destinationCurrency: "USD", transferType: "ACH", accountType: "Individual" },
  fields: [
    { name: "beneficiary_first_name", type: "text", required: true, maxLength: 255 },
    { name: "destination_currency", type: "text", required: true, allowedValues: ["USD"] },
    { name: "beneficiary_country_code", type: "country", required: true, maxLength: 2 },
    { name: "beneficiary_email", type: "email", required: false, maxLength: 254 },
  ],
});
const brand = { merchantName: "Acme <b>", displayName: "Shop <i>", color: "#0a5c36", logo: "" };
const entry = { form, index: 0, prefilled: {}, values: {}, problems: new Map<string, string>() };
const textOf = ({ body }: { readonly body: unknown }) => String(body);

describe("the page of a link", () => {
  it("asks for the fields of its form, except those with a single value", () => {
    const text = textOf(formPage(brand, entry, false));
    expect(text).toContain('name="beneficiary_first_name"');
    expect(text).toContain('type="email"');
    expect(text).toContain('<option value="DE">Germany</option>');
    expect(text).not.toContain('name="destination_currency"');
    expect(text).toContain("Acme &lt;b&gt;, for Shop &lt;i&gt;, asks where to pay you");
    expect(text).toContain("Your payment details for Acme &lt;b&gt;");
  });

  it("shows each problem beside its field, and keeps the entered values as text", () => {
    const problems = new Map([["beneficiary_first_name", "is required"]]);
    const values = { beneficiary_email: '"><script>' };
    const answer = formPage(brand, { ...entry, problems, values }, false);
    expect(answer.status).toBe(422);
    const text = textOf(answer);
    expect(text).toContain('aria-describedby="beneficiary_first_name-problem"');
    expect(text).toContain('id="beneficiary_first_name-problem">is required');
    expect(text).not.toContain("<script>");
  });

  it("shows a name that the merchant has set, and lets no one change it", () => {
    const text = textOf(
      formPage(brand, { ...entry, prefilled: { beneficiary_first_name: "Jane" } }, false),
    );
    expect(text).toMatch(/name="beneficiary_first_name"[^>]* value="Jane" readonly>/);
  });

  it("has a box for a person with one name, and asks for no first name by itself then", () => {
    const flag = "beneficiary_single_name";
    const single = create(BeneficiaryFormSchema, {
      body: "fiat",
      destinationCurrency: "USD",
      transferType: "ACH",
      fields: [
        { name: "beneficiary_first_name", type: "text", required: true, requiredUnless: flag },
        { name: "beneficiary_name_latin", type: "text", required: false, maxLength: 511 },
      ],
    });
    const text = textOf(
      formPage(brand, { ...entry, form: single, values: { [flag]: "true" } }, false),
    );
    expect(text).toContain(`id="${flag}" name="${flag}" type="checkbox" value="true" checked>`);
    expect(text).toMatch(/<input id="beneficiary_first_name"[^>]*>/);
    expect(text).not.toMatch(/<input id="beneficiary_first_name"[^>]* required/);
    expect(text).toContain("Name in Latin letters (optional)");
    const prefilled = { beneficiary_first_name: "Jane" };
    expect(textOf(formPage(brand, { ...entry, form: single, prefilled }, false))).not.toContain(
      flag,
    );
  });

  it("shows the merchant's logo with its name, from this site alone", () => {
    const page = formPage({ ...brand, logo: "/b/t/logo.png?v=1" }, entry, false);
    expect(textOf(page)).toContain(
      '<img class="logo" src="/b/t/logo.png?v=1" alt="Acme &lt;b&gt;">',
    );
    expect(page.headers["Content-Security-Policy"]).toContain("img-src 'self' data:;");
    expect(textOf(formPage(brand, entry, false))).not.toContain("<img");
  });

  it("runs no script, takes nothing from elsewhere, and tells no one its address", () => {
    for (const page of [
      formPage(brand, entry, false),
      choicePage(brand, [form, form]),
      receivedPage(brand),
      receivedBeforePage(brand),
      closedPage(),
    ]) {
      const policy = page.headers["Content-Security-Policy"] ?? "";
      const style = /<style>([\s\S]*)<\/style>/.exec(textOf(page))?.[1] ?? "";
      expect(policy).toContain(
        `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
      );
      expect(policy).toMatch(/^default-src 'none'; /);
      expect(policy).not.toContain("script-src");
      expect(page.headers["Referrer-Policy"]).toBe("no-referrer");
      expect(textOf(page)).not.toMatch(/<script|https?:\/\//);
    }
  });
});

it.each([
  ["#000000", "#fff"],
  ["#ffffff", "#000"],
  ["#0a5c36", "#fff"],
  ["#ffd400", "#000"],
])("letters on %s are %s", (color, letters) => {
  expect(brandStyle(color)).toBe(`:root{--brand:${color};--on-brand:${letters}}\n`);
});

it("letters on any colour have the contrast of WCAG AA, 4.5 to 1", () => {
  const share = (channel: number) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  const luminance = (color: string) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => {
      return sum + weight * share(Number.parseInt(color.slice(1 + 2 * at, 3 + 2 * at), 16));
    }, 0);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
      const color = `#${value.toString(16).padStart(6, "0")}`;
      const letters = /--on-brand:(#000|#fff)/.exec(brandStyle(color))?.[1];
      const pair = [luminance(color), letters === "#fff" ? 1 : 0];
      const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
      expect(contrast).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 5_000 },
  );
});

it("ignores an invalid colour in the style", () => {
  for (const color of ["", "red", "#fff", "#0a5c3g", "#0a5c36;}"])
    expect(brandStyle(color)).toBe("");
});
