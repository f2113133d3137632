import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { plainOf, valueAt } from "@disburse/commands/table/plain.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

/** Spreadsheets run cells with these first characters as formulas (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r]/;

const columns = [
  "beneficiary_id",
  "merchant_id",
  "transfer_method",
  "destination_currency",
  "reason",
  "created_at",
];

async function unpayable(invocation: Invocation): Promise<void> {
  const beneficiaries: JsonObject[] = [];
  const method = BeneficiaryService.method.listUnpayableBeneficiaries;
  for (let cursor: string | undefined; cursor !== ""; ) {
    const page = await invocation.calls.call(method, { cursor: cursor ?? "" });
    beneficiaries.push(...(plainOf(method.output, page).beneficiaries as JsonObject[]));
    cursor = page.nextCursor;
  }
  invocation.show({ beneficiaries }, () => {
    if (invocation.has("--csv")) return csvText(beneficiaries, columns);
    return beneficiaries.length === 0 ? "" : invocation.table(beneficiaries, columns);
  });
  if (beneficiaries.length === 0 && !invocation.isJson)
    invocation.note("every beneficiary can be paid");
}

export const beneficiaryCommands: readonly OwnCommand[] = [
  {
    name: "beneficiaries unpayable",
    summary: "stored beneficiaries that can't be paid by their payment method",
    details:
      "Lists active beneficiaries of all merchants with the fields and limits that prevent payment.\n" +
      "Merchants see the same reason in their own lists. Field values aren't shown.",
    examples: ["beneficiaries unpayable", "beneficiaries unpayable --csv"],
    options: [{ name: "csv", value: "", about: "print CSV (RFC 4180)" }],
    run: unpayable,
  },
];

/** Formats rows as CSV with a header (RFC 4180) and escapes texts that a spreadsheet would run. */
export function csvText(rows: readonly JsonObject[], columns: readonly string[]): string {
  const lines = rows.map((row) => columns.map((column) => cellOf(valueAt(row, column))));
  return [columns, ...lines].map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}

function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return formula.test(text) ? `'${text}` : text;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
