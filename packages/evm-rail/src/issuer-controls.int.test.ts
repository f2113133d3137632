import { freshKey, instruction } from "@disburse/rail/test-contract.ts";
import { anvilPath, wallet } from "@disburse/testkit/evm/anvil.ts";
import type { NodeCall } from "@disburse/testkit/evm/node-proxy.ts";
import { type Address, getAddress, type Hex, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestEvm, type RunningRail, runs, type TestEvm, until } from "./test-evm.ts";

/** A mode of token.sol. */
const [normal, paused] = [0, 3];

/** Selectors of the functions that tell if an issuer blocks an account. */
const listings = new Set<string>(
  ["isBlacklisted(address)", "isBlackListed(address)", "isFrozen(address)"].map((each) =>
    toFunctionSelector(each),
  ),
);

const issuers: readonly (readonly [string, number])[] = [
  ["Circle", 1],
  ["Tether", 2],
  ["Paxos", 3],
];

describe.skipIf(anvilPath() === undefined)("the controls of a token's issuer", () => {
  describe.each(issuers)("of %s", (name, issuer) => {
    let evm: TestEvm;
    let rail: RunningRail;
    const act = async (sent: Promise<Hex>) => {
      const hash = await sent;
      await evm.mine();
      const { status } = await evm.anvil.client.getTransactionReceipt({ hash });
      expect(status).toBe("success");
    };
    const frozen = () => rail.wallet.state()?.snapshot.frozen;
    const to = (address: Address) => ({
      ...instruction,
      currency: "USDC_ETH",
      transferMethod: "CRYPTO",
      network: "ETHEREUM",
      amount: 1_000_000n,
      accountNumber: address,
    });
    const payee = getAddress("0x00000000000000000000000000000000000000aa");
    const blocked = getAddress("0x00000000000000000000000000000000000000bb");

    beforeAll(async () => {
      evm = await openTestEvm(`issuer-${name.toLowerCase()}`);
      await act(evm.anvil.setIssuer(evm.token, issuer));
      rail = await evm.start();
    });
    afterAll(() => evm?.stop());

    it("let a transfer wait while the token is paused, also just before it is signed", async () => {
      expect(await rail.rail.preflight?.(to(payee))).toEqual({ kind: "ok" });
      await act(evm.anvil.setMode(evm.token, paused));
      expect(await rail.rail.preflight?.(to(payee))).toEqual({
        kind: "wait",
        reason: "the issuer has paused the token",
      });
      const key = freshKey();
      await rail.rail.submit(key, to(payee));
      await runs();
      expect((await evm.states([key])).get(key)).toBe("waiting");
      await act(evm.anvil.setMode(evm.token, normal));
      await evm.mineUntil([key], "settled");
    });

    it("refuse a blocked recipient, also just before it is signed", async () => {
      await act(evm.anvil.setMode(evm.token, paused));
      const key = freshKey();
      await rail.rail.submit(key, to(blocked));
      await act(evm.anvil.block(evm.token, blocked));
      await act(evm.anvil.setMode(evm.token, normal));
      expect(await rail.rail.preflight?.(to(blocked))).toEqual({
        kind: "refuse",
        failure: { code: "ACCOUNT_BLOCKED", railCode: "BLACKLISTED" },
      });
      await evm.untilAll([key], "withdrawn");
      expect((await rail.rail.query(key)).status).toEqual({
        kind: "rejected",
        failure: { code: "ACCOUNT_BLOCKED" },
      });
      const [refused] = await evm.transfersOf([key]);
      expect(refused?.attempts).toEqual([]);
      expect(evm.events).toEqual(["refused"]);
    });

    it("let a transfer wait while a node does not respond", async () => {
      evm.proxies[1]?.set({ isAway: true });
      for (const address of [payee, blocked]) {
        expect(await rail.rail.preflight?.(to(address))).toMatchObject({ kind: "wait" });
      }
      evm.proxies[1]?.set({});
    });

    it("stop only payments in the token while its functions revert", async () => {
      const isListing = ({ params }: NodeCall) =>
        listings.has(String((params?.[0] as { data?: string } | undefined)?.data).slice(0, 10));
      const reverted = { code: 3, message: "execution reverted", data: "0x" };
      for (const proxy of evm.proxies) {
        proxy.set({
          lie: (call, answer) =>
            call.method === "eth_call" && isListing(call)
              ? { id: answer.id, error: reverted }
              : answer,
        });
      }
      expect(await rail.rail.preflight?.(to(payee))).toMatchObject({ kind: "wait" });
      const key = freshKey();
      await rail.rail.submit(key, { ...to(payee), currency: "ETH", amount: 1_000n });
      await evm.mineUntil([key], "settled");
      for (const proxy of evm.proxies) proxy.set({});
    });

    it("are an alarm if they block our own wallet", async () => {
      expect(frozen()).toEqual([]);
      await act(evm.anvil.block(evm.token, wallet.address));
      await until(async () => frozen()?.includes("USDC_ETH") === true);
      expect(await rail.rail.preflight?.(to(payee))).toEqual({
        kind: "wait",
        reason: "the issuer has blocked the rail's wallet",
      });
    });
  });

  it("let a token pass whose issuer has none, and the chain's coin", async () => {
    const evm = await openTestEvm("issuer-none");
    const rail = await evm.start();
    const payee = {
      ...instruction,
      transferMethod: "CRYPTO",
      network: "ETHEREUM",
      accountNumber: "0x00000000000000000000000000000000000000aa",
    };
    for (const currency of ["USDC_ETH", "ETH"]) {
      expect(await rail.rail.preflight?.({ ...payee, currency })).toEqual({ kind: "ok" });
    }
    for (const accountNumber of [evm.token, wallet.address, wallet.address.toLowerCase()]) {
      const unpayable = { ...payee, accountNumber };
      expect(await rail.rail.preflight?.({ ...unpayable, currency: "ETH" })).toEqual({
        kind: "refuse",
        failure: { code: "INVALID_ACCOUNT" },
      });
    }
    await evm.stop();
  });
});
