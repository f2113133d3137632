import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BankRail, openBankRail } from "@disburse/bank-rail/open.ts";
import { sealer, swiftTransfer, testSettings } from "@disburse/bank-rail/test-rail.ts";
import { iso20022Settings } from "@disburse/bank-rail/test-settings.ts";
import { answersOf } from "@disburse/bank-simulator/answers.ts";
import {
  hasOpenSsh,
  type OpenSsh,
  openSshReason,
  startOpenSsh,
} from "@disburse/bank-simulator/openssh.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import type { Loop } from "@disburse/chassis/loop.ts";
import { systemClock as clock } from "@disburse/kernel/time.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform } from "../../test-platform.ts";

const merchantId = "mer_1";
const inTime = { timeout: 30_000, interval: 100 };

describe.skipIf(!hasOpenSsh)(`payouts through a bank's OpenSSH server${openSshReason}`, () => {
  let server: OpenSsh;
  let platform: TestPlatform;
  let bank: BankRail;
  let working: Loop;

  beforeAll(async () => {
    server = await startOpenSsh();
    platform = await startTestPlatform();
    for (const name of ["outgoing", "incoming"]) {
      mkdirSync(join(server.folder, name));
      chmodSync(join(server.folder, name), 0o777);
    }
    const keyFile = join(server.folder, "..", "user");
    const { host, port, username, hostKeys } = server.settings;
    const settings = testSettings("iso20022", {
      profile: { ...iso20022Settings.profile, payments_max: 3 },
      return_charges_max: "0.07",
      sftp: {
        ...{ host, port, username, private_key_file: keyFile, host_keys: hostKeys },
        outgoing: join(server.folder, "outgoing"),
        incoming: join(server.folder, "incoming"),
        poll_seconds: 1,
      },
    });
    const { database } = platform;
    const { callForWork } = platform;
    const isPaused = async () => false;
    bank = openBankRail(settings, {
      database,
      callForWork,
      sealer,
      clock,
      log: silentLog,
      isPaused,
    });
    working = bank.start();
    // The platform's beneficiaries are in the United States.
    const { rail } = bank;
    platform.rails.current = { ...rail, submit: (key) => rail.submit(key, swiftTransfer) };
  });
  afterAll(async () => {
    await working?.stop();
    await platform?.stop();
    await server?.stop();
  });

  it("settle by the bank's statement, fail by its status, and are returned", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    await platform.fundRail(bank.rail.name, "100.00");
    const ids: string[] = [];
    for (const order of ["a", "b", "c"]) ids.push(await platform.execute(accountId, order));
    await platform.work();
    const outgoing = join(server.folder, "outgoing");
    const names = await vi.waitFor(() => {
      const found = readdirSync(outgoing).filter((name) => name.endsWith(".xml"));
      expect(found).toHaveLength(1);
      return found;
    }, inTime);
    const file = readFileSync(join(outgoing, names[0] ?? ""));
    const outcomes = ["settled", "rejected", "returned-short"] as const;
    const { statusReport, statement } = answersOf(file, outcomes, false);
    const put = (name: string, bytes: Uint8Array) =>
      writeFileSync(join(server.folder, "incoming", name), bytes, { mode: 0o644 });
    put("status.xml", statusReport);
    put("statement.xml", statement);
    await vi.waitFor(async () => {
      await platform.work();
      const found = await platform.payouts
        .find({ _id: { $in: ids } })
        .sort({ _id: 1 })
        .toArray();
      const stages = ids.map((id) => found.find(({ _id }) => _id === id)?.progress.stage);
      expect(stages).toEqual(["settled", "rejected", "returned"]);
    }, inTime);
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(account).toMatchObject({ available: "90.00", held: "0.00" });
    // One was paid. One was returned less the bank's charge, which the platform bears.
    const { accounts } = await platform.operatorRpc.listRailAccounts({ rail: bank.rail.name });
    expect(accounts[0]).toMatchObject({ available: "89.93", held: "0.00" });
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: ids[1] ?? "" });
    expect(payout).toMatchObject({ failureCode: "ACCOUNT_CLOSED", railCode: "AC04" });
    // No payout polls any more: the rail has no news.
    await vi.waitFor(async () => {
      const pending = await platform.database.db
        .collection("bank_payments")
        .countDocuments({ report_pending: true });
      expect(pending).toBe(0);
    }, inTime);
  }, 60_000);
});
