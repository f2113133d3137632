import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import { checkFile, evidenceRules } from "./file.ts";

it.each([
  ["invoice.html", "<script>alert(1)</script>", "invoice.html.txt"],
  ["invoice.pdf", "plain text", "invoice.pdf.txt"],
  ["invoice.exe", "%PDF-1.7", "invoice.exe.pdf"],
  ["invoice", "%PDF-1.7", "invoice.pdf"],
  ["pdf", "%PDF-1.7", "pdf.pdf"],
  ["Invoice.PDF", "%PDF-1.7", "Invoice.PDF"],
  ["ids.csv", "a,b", "ids.csv"],
  ["note.txt", "text", "note.txt"],
])("%s with the content %s has the extension of its type", (name, content, named) => {
  const file = checkFile({ name, content: Buffer.from(content) }, evidenceRules);
  expect(isRefused(file) ? file.detail : file.name).toBe(named);
});
