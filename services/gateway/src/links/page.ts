import { createHash } from "node:crypto";
import type {
  BeneficiaryForm,
  FormField,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";
import { countryCodes } from "@disburse/forms/checks/text.ts";
import type { PageAnswer } from "../http/answer.ts";
import { escapeHtml } from "../http/rules/html.ts";

type Kind = Pick<BeneficiaryForm, "body" | "transferType" | "destinationCurrency">;

/** Labels for fields whose names alone would not be clear to people. */
const labels: Readonly<Record<string, string | ((kind: Kind) => string)>> = {
  beneficiary_name: "Name",
  beneficiary_account_number: ({ body }) =>
    body === "crypto" ? "Wallet address" : "Account number",
  beneficiary_document_id: "Number of your document",
  beneficiary_document_type: "Kind of document",
  beneficiary_name_latin: "Name in Latin letters",
  beneficiary_single_name: "I have one name only (enter it as last name)",
  beneficiary_state: "State or region",
  beneficiary_wallet_custody_provider: "Who keeps the wallet",
  beneficiary_wallet_custody_provider_name: "Name of who keeps it",
  routing_code_value_1: (kind) => bankCodeOf(kind),
  iban: "IBAN",
  bic: "BIC",
};

/** The style supports phones from 360 px and wide screens, in light and dark mode. */
const baseStyle = `:root{color-scheme:light dark;--brand:#1f4fd8;--on-brand:#fff}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;margin:0;border-top:.5rem solid var(--brand);overflow-wrap:anywhere}
main{max-width:34rem;margin:0 auto;padding:1.5rem 1rem 4rem}
.logo{display:block;max-width:100%;max-height:4rem;margin:0 0 1.5rem;padding:.5rem;border-radius:.375rem;background:#fff}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
.way{font-weight:600}
.field{margin:0 0 1.25rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
input,select{font:inherit;width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid GrayText;border-radius:.375rem;background:Field;color:FieldText}
input[readonly]{border-style:dashed}
input[type=checkbox]{width:1.25rem;min-height:1.25rem;vertical-align:middle}
input[type=checkbox]+label{display:inline}
[aria-invalid]{border:2px solid light-dark(#b3261e,#ff8a80)}
.problem,.wrong{color:light-dark(#b3261e,#ff8a80);margin:.25rem 0}
.wrong{border-left:.25rem solid;padding:.25rem .75rem;margin:0 0 1.25rem}
button,.choice{font:inherit;font-weight:600;display:block;width:100%;min-height:3rem;padding:.75rem 1rem;border:1px solid GrayText;border-radius:.375rem;background:var(--brand);color:var(--on-brand);text-align:center;text-decoration:none;cursor:pointer}
.choices{list-style:none;margin:1.5rem 0;padding:0;display:grid;gap:.75rem}
:focus-visible{outline:3px solid light-dark(#000,#fff);outline-offset:2px}
`;

/** The merchant's name, display name and colour. A value that is not set is `""`. */
export type Brand = {
  /** The merchant's registered name, which every page shows. */
  readonly merchantName: string;
  /** The name that the merchant has chosen. Pages show it beside the registered name. */
  readonly displayName: string;
  readonly color: string;
  /** Path of the merchant's logo. */
  readonly logo: string;
};

/** A form with the entered values. Problems are keyed by field. */
export type Entry = {
  readonly form: BeneficiaryForm;
  readonly index: number;
  readonly prefilled: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
  readonly problems: ReadonlyMap<string, string>;
};

/** Builds the page on which a beneficiary fills in a form. */
export function formPage(brand: Brand, entry: Entry, isOneOfMany: boolean): PageAnswer {
  const { form, index, problems } = entry;
  const fields = form.fields.filter(isRequested(entry));
  const known = new Set(fields.map(({ name }) => name));
  const others = [...problems].filter(([name]) => !known.has(name));
  const summary =
    problems.size === 0
      ? ""
      : `<div class="wrong" role="alert" tabindex="-1" id="wrong" autofocus>
<p>Please check what is marked below.</p>
${others.map(([name, problem]) => `<p>${escapeHtml(labelOf(name, form))}: ${escapeHtml(problem)}</p>`).join("")}
</div>`;
  const back = isOneOfMany ? `<p><a href="?">Choose another way</a></p>` : "";
  return page(
    problems.size === 0 ? 200 : 422,
    brand,
    titleOf(brand),
    `<p>${escapeHtml(nameOf(brand))} asks where to pay you. What you enter goes to them, once.</p>
<p class="way">${escapeHtml(methodOf(form))}</p>
${back}${summary}
<form method="post" action="?form=${index}" autocomplete="on">
${fields.map((field) => fieldHtml(field, entry)).join("\n")}
<button type="submit">Send</button>
</form>`,
  );
}

/** Builds the page on which a beneficiary chooses one of several forms. */
export function choicePage(brand: Brand, forms: readonly BeneficiaryForm[]): PageAnswer {
  const items = forms.map(
    (form, index) =>
      `<li><a class="choice" href="?form=${index}">${escapeHtml(methodOf(form))}</a></li>`,
  );
  return page(
    200,
    brand,
    titleOf(brand),
    `<p>${escapeHtml(nameOf(brand))} asks where to pay you. How do you want to be paid?</p>
<ul class="choices">
${items.join("\n")}
</ul>`,
  );
}

/**
 * Builds the page that confirms receipt. It is identical for every outcome, so it reveals nothing
 * about the beneficiary.
 */
export function receivedPage(brand: Brand): PageAnswer {
  const text = `<p>Your details were received. ${escapeHtml(nameOf(brand))} will be in touch if more is needed.</p>
<p>You can close this page. The link does not work again.</p>`;
  return page(200, brand, "Thank you", text);
}

/**
 * Builds the page for details that are sent after the link has accepted some. The platform doesn't
 * keep what was entered, so the page covers both a repeat and other details.
 */
export function receivedBeforePage(brand: Brand): PageAnswer {
  const name = escapeHtml(nameOf(brand));
  const text = `<p>Details were received through this link before. What you sent now was not saved, and changes nothing.</p>
<p>If you sent the same details twice, you can close this page. Contact ${name} to change your details.</p>`;
  return page(409, brand, "Details were received before", text);
}

const noBrand: Brand = { merchantName: "", displayName: "", color: "", logo: "" };

/**
 * Builds the page for used, expired and unknown links. It doesn't reveal which of these the link
 * is.
 */
export function closedPage(brand: Brand = noBrand): PageAnswer {
  const text = `<p>This link is not valid. It may have expired. Ask ${escapeHtml(nameOf(brand))} for a new one.</p>`;
  return page(410, brand, "This link is closed", text);
}

/**
 * Builds the page for a submission whose outcome is unknown. The beneficiary can safely submit
 * again.
 */
export function laterPage(): PageAnswer {
  const text = `<p>We could not take your details just now. Go back and send them again in a minute; they are taken once.</p>`;
  return page(503, noBrand, "Please try again", text);
}

/** Formats the merchant's name. The display name never appears without the registered name. */
function nameOf({ merchantName, displayName }: Brand): string {
  if (merchantName === "") return "the company that sent it";
  const isOther = displayName !== "" && displayName !== merchantName;
  return isOther ? `${merchantName}, for ${displayName},` : merchantName;
}

function titleOf({ merchantName }: Brand): string {
  return merchantName === "" ? "Your payment details" : `Your payment details for ${merchantName}`;
}

const people: Readonly<Record<string, string>> = { Individual: "a person", Corporate: "a company" };

function methodOf({
  body,
  transferType,
  destinationCurrency,
  accountType,
  fields,
}: BeneficiaryForm) {
  const network = fields.find(({ name }) => name === "routing_code_value_1");
  const [only, ...more] = network?.allowedValues ?? [];
  const on = body === "crypto" && only !== undefined && more.length === 0 ? ` on ${only}` : "";
  const to = body === "crypto" ? `wallet${on}` : `bank account, by ${transferType}`;
  return `${destinationCurrency} to a ${to}, of ${people[accountType] ?? accountType}`;
}

/** Optional fields that the page shows, because beneficiaries usually know their values. */
const optionalNames: ReadonlySet<string> = new Set([
  ...["beneficiary_email", "bic", "beneficiary_country_code"],
  "beneficiary_name_latin",
]);

/**
 * Returns a function that decides whether the page shows a field. The page shows all fields that
 * the merchant has filled in. It also shows required fields and those in `optionalNames`, unless
 * only one value is possible. All other fields are for merchants' own programs.
 */
function isRequested({ prefilled }: Pick<Entry, "prefilled">) {
  return ({ name, allowedValues, required }: FormField) => {
    if (prefilled[name] !== undefined) return true;
    return (required || optionalNames.has(name)) && allowedValues.length !== 1;
  };
}

function fieldHtml(field: FormField, { form, prefilled, values, problems }: Entry): string {
  const { name, requiredUnless } = field;
  // A flag can make this field optional. The page has no script, so the server checks the flag on
  // submission.
  const required = field.required && requiredUnless === "";
  const locked = prefilled[name];
  const problem = problems.get(name);
  const attributes = [
    `id="${name}" name="${name}"`,
    ...(problem === undefined ? [] : [`aria-invalid="true" aria-describedby="${name}-problem"`]),
    ...(required && locked === undefined ? ["required"] : []),
  ].join(" ");
  const value = locked ?? values[name] ?? "";
  const wrong =
    problem === undefined
      ? ""
      : `\n<p class="problem" id="${name}-problem">${escapeHtml(problem)}</p>`;
  const label = `${labelOf(name, form)}${field.required ? "" : " (optional)"}`;
  const hasFlag = requiredUnless !== "" && locked === undefined;
  const flag = hasFlag ? flagHtml(requiredUnless, { form, values }) : "";
  return `<div class="field">
<label for="${name}">${escapeHtml(label)}</label>
${controlHtml(field, attributes, value, locked !== undefined)}${wrong}
</div>${flag}`;
}

/** Builds the checkbox for the flag that makes the previous field optional. */
function flagHtml(name: string, { form, values }: Pick<Entry, "form" | "values">): string {
  const checked = values[name] === "true" ? " checked" : "";
  return `
<div class="field">
<input id="${name}" name="${name}" type="checkbox" value="true"${checked}>
<label for="${name}">${escapeHtml(labelOf(name, form))}</label>
</div>`;
}

const inputTypes: Readonly<Record<string, string>> = { date: "date", email: "email" };
const countryNames = new Intl.DisplayNames("en", { type: "region" });

function controlHtml(field: FormField, attributes: string, value: string, isLocked: boolean) {
  const { allowedValues, type, maxLength } = field;
  if (isLocked) return `<input ${attributes} value="${escapeHtml(value)}" readonly>`;
  const isCountry = type === "country";
  if (!isCountry && allowedValues.length === 0) {
    const kind = `type="${inputTypes[type] ?? "text"}"${type === "digits" ? ' inputmode="numeric"' : ""}`;
    return `<input ${attributes} ${kind} maxlength="${maxLength}" value="${escapeHtml(value)}">`;
  }
  const codes = allowedValues.length > 0 ? allowedValues : countryCodes;
  const options = codes.map((code) => {
    const label = isCountry ? (countryNames.of(code) ?? code) : code;
    const chosen = code === value ? " selected" : "";
    return `<option value="${escapeHtml(code)}"${chosen}>${escapeHtml(label)}</option>`;
  });
  return `<select ${attributes}>\n<option value="">Choose</option>\n${options.join("\n")}\n</select>`;
}

/** Builds the headers of a page. They forbid scripts, other origins and frames. */
function headersFor(style: string) {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    // The page's URL is a secret, so browsers must not send it to other sites.
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
  };
}

function page(status: number, brand: Brand, title: string, content: string): PageAnswer {
  const style = `${baseStyle}${brandStyle(brand.color)}`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${logoHtml(brand)}<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
  return { status, headers: headersFor(style), body };
}

/** A logo may be dark or light, so its background is white in both themes. */
function logoHtml({ merchantName, logo }: Brand): string {
  if (logo === "") return "";
  return `<img class="logo" src="${escapeHtml(logo)}" alt="${escapeHtml(merchantName)}">\n`;
}

/**
 * Builds the style with the merchant's colour. The text on it is black or white, whichever has more
 * contrast.
 */
export function brandStyle(color: string): string {
  if (!/^#[0-9a-fA-F]{6}$/.test(color)) return "";
  const channel = (at: number) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  // Relative luminance (WCAG 2.2). Above the limit below, black text has more contrast than white.
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return `:root{--brand:${color};--on-brand:${luminance > 0.179 ? "#000" : "#fff"}}\n`;
}

function bankCodeOf({ body, transferType, destinationCurrency }: Kind): string {
  if (body === "crypto") return "Network";
  if (destinationCurrency === "INR") return "IFSC of your bank";
  return transferType === "SWIFT" ? "BIC of your bank" : "Routing number of your bank (ABA)";
}

/** Returns the label of a beneficiary's field. */
function labelOf(name: string, kind: Kind): string {
  const own = labels[name];
  if (own !== undefined) return typeof own === "string" ? own : own(kind);
  const words = name.replace(/^beneficiary_/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
