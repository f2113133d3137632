import { connectService } from "@disburse/chassis/rpc/client.ts";
import { AuditService } from "@disburse/contracts/disburse/audit/v1/audit_pb.ts";
import { merchantOf } from "@disburse/testkit/merchant.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cryptoBody, paths } from "./bodies.ts";

/** Tests files and exports of an alert through the operator API proxy, as a browser gets them. */

const review = "disburse.compliance.v1.ComplianceReviewService";
const fileBytesMax = 3 * 1024 * 1024;

let platform: TestPlatform;
let audit: ReturnType<typeof connectService<typeof AuditService>>;
let authorization: string;
let alertId: string;
let merchantId: string;

beforeAll(async () => {
  platform = await sharedPlatform();
  const identity = platform.trust.person("ada");
  authorization = (await identity("any")) ?? "";
  audit = connectService(AuditService, platform.url("compliance"), { identity });
  const { call } = merchantOf(platform.baseUrl, platform.apiKey("acme"));
  const added = await call("POST", paths.crypto, cryptoBody());
  const id = added.json.data?.beneficiary_id;
  const listing = { result: "review" };
  const listed = await call("POST", `/api/v1/sandbox/beneficiaries/${id}/listing`, listing);
  expect(listed.status, listed.text).toBe(200);
  const { alerts } = (await rpc("ListAlerts", { recordId: id })).json;
  expect(alerts).toHaveLength(1);
  [{ id: alertId }] = alerts;
  merchantId = alerts[0].subject.merchantId;
});
afterAll(() => audit.close());

async function rpc(method: string, body: object) {
  const answer = await fetch(`${platform.operatorsUrl}/console/rpc/${review}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: JSON.parse(await answer.text()) };
}

const addFile = (content: Buffer, name: string) =>
  rpc("AddAlertFile", {
    mutation: { operationId: crypto.randomUUID() },
    ...{ alertId, name, content: content.toString("base64") },
  });

const download = (path: string, headers: Record<string, string> = { authorization }) =>
  fetch(`${platform.operatorsUrl}/console/download/${path}`, { headers });

/** The RPCs in the audit trail about a record. */
async function auditedAbout(subject: string): Promise<string[]> {
  const { jsonLines } = await audit.rpc.exportAuditEntries({ limit: 1_000 });
  const entries = jsonLines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return entries.filter((each) => each.subject === subject).map(({ action }) => action);
}

it("a file of the greatest size comes back as a download, and each read is audited", async () => {
  const content = Buffer.alloc(fileBytesMax, "a");
  const { status, json } = await addFile(content, "Pässe 'neu'.txt");
  expect(status).toBe(200);
  const answer = await download(`alert-files/${json.file.id}`);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": "attachment; filename*=UTF-8''P%C3%A4sse%20%27neu%27.txt",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "no-store",
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  expect(await auditedAbout(json.file.id)).toEqual(["AddAlertFile", "GetAlertFile"]);
});

it("a larger file is refused by the service, and a much larger request by the proxy", async () => {
  const over = await addFile(Buffer.alloc(fileBytesMax + 1, "a"), "a.txt");
  expect([over.status, over.json.message]).toEqual([400, expect.stringContaining("content: must")]);
  const far = await addFile(Buffer.alloc(2 * fileBytesMax, "a"), "a.txt");
  expect([far.status, far.json.code]).toEqual([429, "resource_exhausted"]);
  // Other RPCs keep the smaller limit.
  const comment = { alertId, comment: "a".repeat(1_100_000) };
  const mutation = { operationId: crypto.randomUUID() };
  expect((await rpc("CommentAlert", { mutation, ...comment })).status).toBe(429);
});

it("a case is exported as JSON and PDF, and each export is audited", async () => {
  const before = (await auditedAbout(alertId)).filter((each) => each === "ExportAlert").length;
  const json = await download(`alerts/${alertId}/case.json`);
  expect(json.headers.get("content-disposition")).toContain(`case-${alertId}.json`);
  expect(await json.json()).toMatchObject({
    exported_by: { id: "ada" },
    alert: { id: alertId, subject: { merchant_id: merchantId } },
    ...{ held_payouts: [], held_sums: [] },
  });
  const pdf = await download(`alerts/${alertId}/case.pdf`);
  expect(pdf.headers.get("content-type")).toBe("application/pdf");
  expect(
    Buffer.from(await pdf.arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe("%PDF-");
  const after = (await auditedAbout(alertId)).filter((each) => each === "ExportAlert").length;
  expect(after - before).toBe(2);
});

it.each([
  ["alert-files/fil_none", undefined, 404],
  ["alerts/alr_none/case.json", undefined, 404],
  ["alerts/alr_none/case.docx", undefined, 404],
  ["alert-files/fil_none", {}, 401],
  ["alert-files/fil_none", { authorization: "Bearer wrong" }, 401],
])("%s with %j is no download: %i", async (path, headers, status) => {
  const answer = await download(path, headers);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-disposition")).toBeNull();
});
