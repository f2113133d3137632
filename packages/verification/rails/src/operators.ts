import { setTimeout as pause } from "node:timers/promises";
import {
  BankFileDecision,
  BankFileState,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import type { BankName } from "./counterparts/bank-rails.ts";
import { openSecondPerson } from "./second-person.ts";
import type { World } from "./world.ts";

const lookEveryMs = 1_000;

/** Starts two persons who decide what a bank's server does not say of files: they ask the bank. */
export function startOperators({ platform, banks }: World, name: BankName) {
  const { operations } = platform.clients;
  const second = openSecondPerson(platform);
  const ends = new AbortController();
  const decided = { received: 0, again: 0 };
  const decide = async (fileId: string): Promise<void> => {
    const isThere = banks?.of(name).bank.receipts.some(({ id }) => id === fileId) ?? false;
    const { RECEIVED, SEND_AGAIN } = BankFileDecision;
    const decision = isThere ? RECEIVED : SEND_AGAIN;
    const request = { fileId, decision, reason: "the bank says so on the telephone" };
    const mutation = { operationId: `decide:${fileId}:${crypto.randomUUID()}` };
    await second.approve(operations.resolveBankFile({ mutation, ...request }));
    decided[isThere ? "received" : "again"] += 1;
  };
  const look = async (): Promise<void> => {
    const { files } = await operations.listBankFiles({
      rail: name,
      state: BankFileState.UNDECIDED,
      limit: 100,
    });
    for (const { id } of files) await decide(id);
  };
  const run = async (): Promise<void> => {
    while (!ends.signal.aborted) {
      // The service is killed again and again: the next look decides.
      await look().catch(() => undefined);
      await pause(lookEveryMs, undefined, { signal: ends.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    decided,
    stop: async (): Promise<void> => {
      ends.abort();
      await running;
      second.close();
    },
  };
}
