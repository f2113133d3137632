import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@disburse/chassis/log.ts";
import { startIssuer } from "@disburse/sandbox/issuer/server.ts";
import { startMailCatcher } from "@disburse/sandbox/mail-catcher.ts";
import { passwordOf } from "@disburse/sandbox/people.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createPerson } from "./console-person.ts";
import { setControls } from "./operators-controls.ts";
import { payerOf } from "./payer.ts";

/** Tests the e-mails to members of the sandbox, which its mail server writes to files. */

const folder = mkdtempSync(join(tmpdir(), "disburse-mails-"));
let catcher: Awaited<ReturnType<typeof startMailCatcher>>;
let platform: TestPlatform;
let issuer: Awaited<ReturnType<typeof startIssuer>>;
beforeAll(async () => {
  catcher = await startMailCatcher(folder);
  platform = await startTestPlatform({
    SMTP_URL: catcher.url,
    MAIL_FROM: "Disburse <disburse@sandbox.example>",
    MAIL_DIGEST_SECONDS: "1",
  });
  const { issuerKey } = platform.secrets;
  issuer = await startIssuer({ port: platform.issuerPort, issuerKey, log: silentLog });
});
afterAll(async () => {
  await issuer?.stop();
  await platform?.stop();
  await catcher?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A digest takes a second, and each of the two loops rests for at most 5 s. */
const within = { timeout: 30_000, interval: 100 };

const mails = () =>
  readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8"));
const mailsTo = (name: string) =>
  mails().filter((mail) => mail.includes(`To: ${name}@acme.example`));

/** Invited people get e-mails only after they have signed in. */
async function signIn(name: string) {
  const person = createPerson(platform.baseUrl, issuer.url);
  await person.signIn(name, passwordOf(platform.secrets.issuerKey, name));
  return person;
}

it("a payout that awaits approval reaches approvers by e-mail, with a link to the console", async () => {
  const [avi, mia] = [await signIn("avi"), await signIn("mia")];
  const { merchant_id: acmeId } = platform.sandbox.merchants.acme;
  const approval = { amounts: [{ currencyCode: "USD", minimum: "10.00" }] };
  await setControls(platform, acmeId, { approval });
  const acme = payerOf(platform, "acme");
  await acme.pay("mail-1");
  const [mail = ""] = await vi.waitFor(() => {
    const found = mailsTo("avi");
    expect(found).toHaveLength(1);
    return found;
  }, within);
  expect(mail).toContain("Subject: [Sandbox] 1 new request for approval");
  const [link = ""] = /https?:\S+\/console\/payouts\/waiting/.exec(mail) ?? [];
  expect(new URL(link).origin).toBe(platform.baseUrl);
  expect(mail).not.toContain("mail-1");
  // A maker can't approve. A person who hasn't signed in has no verified address.
  expect([mailsTo("mia"), mailsTo("alma")]).toEqual([[], []]);

  const token = (await avi.session())?.csrf_token;
  const path = "/console/session/notifications";
  const off = { off: ["approvals"] };
  expect((await avi.call("POST", path, off, token)).json.data).toMatchObject({
    available: true,
    kinds: expect.arrayContaining([{ kind: "approvals", enabled: false }]),
  });
  expect((await mia.call("GET", path)).json.data).toEqual({
    available: true,
    paused: false,
    kinds: ["failures", "balances", "batches"].map((kind) => ({ kind, enabled: true })),
  });
  await signIn("alma");
  await acme.pay("mail-2");
  await vi.waitFor(() => expect(mailsTo("alma")).toHaveLength(1), within);
  expect(mailsTo("avi")).toHaveLength(1);
}, 90_000);
