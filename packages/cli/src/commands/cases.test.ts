import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  ComplianceReviewService,
  ExportAlertRequest_Format as Format,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testWorld } from "../test-world.ts";

let world: ReturnType<typeof testWorld>;
beforeEach(() => {
  world = testWorld((router) =>
    router.service(ComplianceReviewService, {
      getAlertFile: ({ fileId }) => ({ content: Buffer.from(`content of ${fileId}`) }),
      exportAlert: ({ alertId, format }) => ({
        content: Buffer.from(`${alertId} as ${format === Format.PDF ? "pdf" : "json"}`),
      }),
      addAlertFile: ({ alertId, name, content }) => ({
        file: { id: "fil_1", name, size: content.length, sha256: alertId },
      }),
    }),
  );
});
afterEach(() => world.remove());

const written = (name: string) => join(world.folder, name);

it("writes a file of an alert for this user alone, and replaces none", async () => {
  const { code } = await world.run("alerts", "get-file", "fil_1", "--out", "a.pdf");
  expect(code).toBe(0);
  expect(readFileSync(written("a.pdf"), "utf8")).toBe("content of fil_1");
  expect(statSync(written("a.pdf")).mode & 0o777).toBe(0o600);
  const again = await world.run("alerts", "get-file", "fil_2", "--out", "a.pdf");
  expect([again.code, again.err]).toEqual([2, expect.stringContaining("EEXIST")]);
  expect(readFileSync(written("a.pdf"), "utf8")).toBe("content of fil_1");
});

it.each(["pdf", "json"])("writes a case as %s", async (format) => {
  const { code } = await world.run(
    ...["alerts", "export", "alr_1", "--format", format, "--out", "case"],
  );
  expect(code).toBe(0);
  expect(readFileSync(written("case"), "utf8")).toBe(`alr_1 as ${format}`);
});

it("adds the bytes of a file", async () => {
  await world.run("alerts", "export", "alr_1", "--format", "pdf", "--out", "case.pdf");
  const { code, out } = await world.run(
    ...["alerts", "add-file", "alr_1", "--name", "case.pdf", "--content", "case.pdf"],
  );
  expect(code).toBe(0);
  expect(out).toMatch(/size: 12/);
});
