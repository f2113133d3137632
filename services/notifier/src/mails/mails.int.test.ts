import { silentLog } from "@disburse/chassis/log.ts";
import { MailKind } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { attemptsMax } from "../deliveries/rules/schedule.ts";
import type { WebhookEvent } from "../events/rules/event.ts";
import {
  operation,
  payoutMessage,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";
import { createMailSender } from "./smtp.ts";
import { startTestMailServer } from "./test-mail-server.ts";

const digestMs = 600_000;
const leaseMs = 30_000;
const everyScope = ["payout:read", "payout:approve", "account:read", "webhook:write"];

let server: Awaited<ReturnType<typeof startTestMailServer>>;
beforeAll(async () => {
  server = await startTestMailServer();
});
afterAll(() => server.close());

type Member = { memberId: string; email: string; scopes: string[] };
const team = new Map<string, Member[]>();
const gateway = { isDown: false, failsFor: new Set<string>() };
const logged: unknown[] = [];
const log = { ...silentLog, warn: (...line: unknown[]) => void logged.push(line) };
const mails = () => ({
  send: createMailSender({
    server: { host: "127.0.0.1", port: server.port, secure: false },
    from: "Disburse <payouts@disburse.example>",
    mode: "sandbox",
  }),
  team: {
    listMailRecipients: async ({ merchantId = "" }) => {
      if (gateway.isDown || gateway.failsFor.has(merchantId))
        throw new Error("the gateway is down");
      return { recipients: team.get(merchantId) ?? [] } as never;
    },
  },
  consoleUrl: "https://console.example",
  mode: "sandbox" as const,
  digestMs,
});

let notifier: TestNotifier;
let merchantId: string;
const member = (scopes = everyScope, email = `${newId("member")}@acme.example`): Member => {
  const added = { memberId: newId("member"), email, scopes };
  team.set(merchantId, [...(team.get(merchantId) ?? []), added]);
  return added;
};
beforeAll(async () => {
  notifier = await startTestNotifier({ mails: mails(), log });
});
afterAll(() => notifier.drop());
beforeEach(() => {
  merchantId = newId("merchant");
  server.answer(() => undefined);
  server.received.length = 0;
  logged.length = 0;
  notifier.world.now = new Date("2026-11-20T12:00:00.000Z");
});
// The next test must not find work of this one.
afterEach(async () => {
  for (const name of ["mail_digests", "mail_recipients"]) {
    await notifier.database.db.collection(name).deleteMany({});
  }
});

const mailer = (at = notifier) => {
  const { mailer: found } = at.mails;
  if (found === undefined) throw new Error("no mailer");
  return found;
};
const work = async () => {
  await mailer().distribute();
  while (await mailer().send());
};
/** Lets the collection of events end, and sends what is due. */
const endDigest = async () => {
  notifier.advance(digestMs);
  await work();
};
const failed = () => payoutMessage({ merchantId, status: "failed", version: 2 });
const optIn = (transactionType: string): WebhookEvent => ({
  ...{ eventId: newId("event"), merchantId, transactionType, transactionId: newId("payout") },
  ...{ status: "any", sequence: 1, body: Buffer.from("{}"), occurredAt: notifier.world.now },
});
const recipient = (id: string) => notifier.mails.recipients.find(id);
const subjects = () => server.received.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim());

describe("a digest", () => {
  it("counts each event once and has counts and links alone", async () => {
    const { email } = member();
    const [first, second] = [failed(), failed()];
    await notifier.consume([first, first]);
    await notifier.consume([first, second]);
    await notifier.fanOut.publish([optIn("payout.approval_required")]);
    await work();
    expect(server.received).toEqual([]);
    await endDigest();
    expect(server.received).toMatchObject([{ to: email }]);
    const [{ raw } = { raw: "" }] = server.received;
    expect(raw).toContain("Subject: [Sandbox] 2 kinds of news about your payouts");
    expect(raw).toContain("2 payouts failed or were returned");
    expect(raw).toContain("1 new request for approval");
    expect(raw).toContain("https://console.example/console/");
    expect(raw).not.toMatch(/12\.41|1000\.00|order-7|po_/);
    await notifier.consume([first, second]);
    await endDigest();
    expect(server.received).toHaveLength(1);
  });

  it("goes to those who may see it and want it", async () => {
    const approver = member(["payout:read", "payout:approve"]);
    const viewer = member(["payout:read"]);
    const muted = member();
    await notifier.rpc.setMailPreferences({
      mutation: operation(),
      merchantId,
      memberId: muted.memberId,
      disabledKinds: [MailKind.APPROVALS],
    });
    await notifier.fanOut.publish([optIn("batch.approval_required")]);
    await endDigest();
    expect(server.received.map(({ to }) => to)).toEqual([approver.email]);
    await notifier.consume([failed()]);
    await endDigest();
    await endDigest();
    const later = server.received.slice(1).map(({ to }) => to);
    expect(later.toSorted()).toEqual(
      [approver, viewer, muted].map((each) => each.email).toSorted(),
    );
  });

  it("reports an endpoint that fails, even without another endpoint", async () => {
    member(["webhook:write"]);
    await notifier.fanOut.publish([optIn("webhook_endpoint.paused")]);
    await notifier.mails.count([optIn("endpoint.failing")]);
    await endDigest();
    expect(subjects()).toEqual(["[Sandbox] 2 webhook endpoints fail or were paused"]);
  });

  it("is distributed once by two processes", async () => {
    member();
    const { name, world } = notifier;
    const other = await startTestNotifier({ beside: { name, world }, mails: mails(), log });
    await notifier.consume([failed()]);
    notifier.advance(digestMs);
    const [one, two] = [mailer(), mailer(other)];
    await Promise.all([one.distribute(), two.distribute(), one.distribute()]);
    await Promise.all([one.send(), two.send()]);
    await other.close();
    expect(server.received).toHaveLength(1);
  });

  it("of one merchant is not delayed by another's failure", async () => {
    const ofFirst = member();
    await notifier.consume([failed()]);
    gateway.failsFor.add(merchantId);
    merchantId = newId("merchant");
    const ofSecond = member();
    await notifier.consume([failed()]);
    notifier.advance(digestMs);
    await expect(mailer().distribute()).rejects.toThrow("down");
    await mailer().send();
    expect(server.received.map(({ to }) => to)).toEqual([ofSecond.email]);
    gateway.failsFor.clear();
    await work();
    expect(server.received.map(({ to }) => to)).toEqual([ofSecond.email, ofFirst.email]);
  });

  it("of one merchant is not delayed by the failures of many others", async () => {
    for (let each = 0; each < 20; each += 1) {
      merchantId = newId("merchant");
      gateway.failsFor.add(merchantId);
      await notifier.consume([failed()]);
    }
    notifier.advance(digestMs);
    await expect(mailer().distribute()).rejects.toThrow("down");
    merchantId = newId("merchant");
    const { email } = member();
    await notifier.consume([failed()]);
    notifier.advance(digestMs);
    await expect(mailer().distribute()).rejects.toThrow("down");
    await mailer().send();
    expect(server.received.map(({ to }) => to)).toEqual([email]);
    gateway.failsFor.clear();
  });

  it("leaves at most one e-mail in its time", async () => {
    const { memberId } = member();
    server.answer(() => 451);
    await notifier.consume([failed()]);
    await endDigest();
    await notifier.consume([failed(), failed()]);
    notifier.advance(digestMs);
    server.answer(() => undefined);
    await work();
    expect(subjects()).toEqual(["[Sandbox] 1 payout failed or was returned"]);
    await work();
    expect(server.received).toHaveLength(1);
    expect((await recipient(memberId))?.due_at).toEqual(
      new Date(notifier.world.now.getTime() + digestMs),
    );
    await endDigest();
    expect(subjects()[1]).toBe("[Sandbox] 2 payouts failed or were returned");
  });
});

describe("an e-mail", () => {
  it("that was claimed before a crash is sent after the lease", async () => {
    member();
    await notifier.consume([failed()]);
    notifier.advance(digestMs);
    await mailer().distribute();
    const claimed = await notifier.mails.recipients.claim(notifier.world.now);
    await work();
    expect(server.received).toEqual([]);
    notifier.advance(leaseMs);
    await work();
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.raw).toContain(`Message-ID: <${claimed?.mail.id}@disburse.example>`);
    // The process that crashed comes back late, and changes nothing.
    if (claimed === undefined) throw new Error("nothing claimed");
    await notifier.mails.recipients.settle(
      claimed,
      { state: "pending", nextAttemptAt: notifier.world.now },
      notifier.world.now,
    );
    await work();
    expect(server.received).toHaveLength(1);
  });

  it("is retried like a webhook, and given up after as many attempts", async () => {
    const { memberId } = member();
    let attempts = 0;
    server.answer(() => {
      attempts += 1;
      return 451;
    });
    await notifier.consume([failed()]);
    await endDigest();
    const waits: number[] = [];
    for (;;) {
      const { due_at } = (await recipient(memberId)) ?? {};
      if (due_at == null) break;
      waits.push(due_at.getTime() - notifier.world.now.getTime());
      notifier.world.now = due_at;
      await work();
    }
    expect(attempts).toBe(attemptsMax);
    expect(waits.map((ms) => Math.floor(ms / 5_000)).slice(0, 4)).toEqual([1, 2, 4, 8]);
    expect(await recipient(memberId)).toMatchObject({ mail: null, rejections: 0, paused_at: null });
    expect(await notifier.series()).toContain(
      'disburse_mails_total{outcome="given_up",service="notifier"} 1',
    );
  });

  it("that the server rejects is not retried, and three rejections pause the address", async () => {
    const { memberId, email } = member();
    server.answer((step) => (step === "RCPT TO" ? 550 : undefined));
    const preferences = async () =>
      (await notifier.rpc.getMailPreferences({ merchantId, memberId })).preferences;
    for (let mail = 1; mail <= 3; mail += 1) {
      expect((await preferences())?.paused).toBe(false);
      await notifier.consume([failed()]);
      await endDigest();
      expect(await recipient(memberId)).toMatchObject({ mail: null, rejections: mail });
    }
    expect(await preferences()).toMatchObject({ available: true, paused: true });
    // A paused address collects nothing.
    server.answer(() => undefined);
    await notifier.consume([failed()]);
    await endDigest();
    const choice = { mutation: operation(), merchantId, memberId, disabledKinds: [] };
    const saved = await notifier.rpc.setMailPreferences(choice);
    expect(saved.preferences?.paused).toBe(false);
    await endDigest();
    expect(server.received).toEqual([]);
    await notifier.consume([failed()]);
    await endDigest();
    await endDigest();
    expect(subjects()).toEqual(["[Sandbox] 1 payout failed or was returned"]);
    expect(JSON.stringify(logged)).toContain("550");
    const collections = await notifier.database.db.collections();
    const stored = await Promise.all(collections.map((each) => each.find().toArray()));
    for (const text of [JSON.stringify(logged), JSON.stringify(stored), await notifier.series()]) {
      expect(text).not.toContain(email);
    }
  });

  it("whose content the server rejects does not pause the address", async () => {
    const { memberId } = member();
    server.answer((step) => (step === "DATA" ? 554 : undefined));
    await notifier.consume([failed()]);
    await endDigest();
    expect(await recipient(memberId)).toMatchObject({ mail: null, rejections: 0, due_at: null });
  });

  it("is dropped if the member was removed, or may or wants to see it no longer", async () => {
    const [gone, demoted, muted] = [member(), member(), member()];
    await notifier.fanOut.publish([optIn("payout.approval_required")]);
    notifier.advance(digestMs);
    await mailer().distribute();
    team.set(merchantId, [{ ...demoted, scopes: ["payout:read"] }, muted]);
    await notifier.rpc.setMailPreferences({
      mutation: operation(),
      merchantId,
      memberId: muted.memberId,
      disabledKinds: [MailKind.APPROVALS],
    });
    await work();
    expect(server.received).toEqual([]);
    for (const { memberId } of [gone, demoted, muted]) {
      expect(await recipient(memberId)).toMatchObject({ mail: null, due_at: null });
    }
  });

  it("waits while the gateway is down", async () => {
    const { memberId } = member();
    await notifier.consume([failed()]);
    notifier.advance(digestMs);
    await mailer().distribute();
    gateway.isDown = true;
    await expect(mailer().send()).rejects.toThrow("down");
    gateway.isDown = false;
    const oldest = 'disburse_mails_oldest_unsent_seconds{service="notifier"}';
    expect((await recipient(memberId))?.mail?.attempts).toBe(0);
    expect(await notifier.series()).toContain(`${oldest} 0`);
    notifier.advance(leaseMs);
    expect(await notifier.series()).toContain(`${oldest} 30`);
    await work();
    expect(server.received).toHaveLength(1);
  });
});

it("a deployment without a mail server counts nothing, and says so", async () => {
  const { name, world } = notifier;
  const without = await startTestNotifier({ beside: { name, world } });
  await without.consume([failed()]);
  expect(await without.database.db.collection("mail_digests").countDocuments()).toBe(0);
  const key = { merchantId, memberId: newId("member") };
  const { preferences } = await without.rpc.getMailPreferences(key);
  expect(preferences).toMatchObject({ available: false, paused: false });
  expect(preferences?.kinds.map(({ enabled }) => enabled)).toEqual([true, true, true, true, true]);
  await without.close();
});
