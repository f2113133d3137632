import type { Verdict } from "@disburse/harness/scenario.ts";
import { collectionOf } from "@disburse/invariants/database-check.ts";
import type { Fault, FaultContext } from "../context.ts";
import { postUntilAnswered } from "../payouts/client.ts";

/** Concurrent executes of one quote, each with a different key. */
const callersPerQuote = 16;
const sideBySide = 8;
/** The account can pay exactly this many of the executes. */
const balance = 50;
const executes = 200;

export const raceFault: Fault = {
  name: "races",
  about: "16 executes of each quote at once, and 200 with money for 50",
  run: async (context) => {
    const { load, options } = context;
    await load.drain();
    const winners: number[] = [];
    for (let at = 0; at < options.races; at += sideBySide) {
      const count = Math.min(sideBySide, options.races - at);
      winners.push(
        ...(await Promise.all(Array.from({ length: count }, () => raceForOne(context)))),
      );
    }
    context.fired("execute of a raced quote", options.races * callersPerQuote);
    const wrong = winners.filter((won) => won !== 1).length;
    const problem = `${wrong} of ${options.races} quotes did not have exactly one winner`;
    return [
      { name: "one payout for each quote", problems: wrong === 0 ? [] : [problem] },
      await raceForMoney(context),
    ];
  },
};

async function quoteOf({ platform, recipients }: FaultContext, accountId: string): Promise<string> {
  const answer = await postUntilAnswered(platform, "/transfer/rfq", {
    source_amount: "10.00",
    source_currency_code: "USD",
    destination_currency_code: "USD",
    beneficiary_id: recipients[0]?.id,
    account_id: accountId,
  });
  if (answer?.status !== 200) throw new Error(`creating a quote failed: ${answer?.text}`);
  return answer.data.id ?? "";
}

/** Returns how many callers received the payout. */
async function raceForOne(context: FaultContext): Promise<number> {
  const { platform } = context;
  const quote_id = await quoteOf(context, platform.accountId);
  const answers = await Promise.all(
    Array.from({ length: callersPerQuote }, (_each, at) =>
      postUntilAnswered(platform, "/transfer/execute", { quote_id, reference_id: `race-${at}` }),
    ),
  );
  const won = answers.filter((answer) => answer?.status === 200).length;
  const late = answers.filter((answer) => answer?.code === "ALREADY_PROCESSED").length;
  // Any other response makes this sum differ from the number of callers.
  return won + late === callersPerQuote ? won : 0;
}

async function raceForMoney(context: FaultContext): Promise<Verdict> {
  const { platform } = context;
  const accountId = await platform.openAccount(`${balance * 10}.00`);
  const quotes: string[] = [];
  for (let at = 0; at < executes; at += 1) quotes.push(await quoteOf(context, accountId));
  const answers = await Promise.all(
    quotes.map((quote_id) =>
      postUntilAnswered(platform, "/transfer/execute", { quote_id, reference_id: "room" }),
    ),
  );
  context.fired("execute for little money", executes);
  const paid = answers.filter((answer) => answer?.status === 200).length;
  const short = answers.filter((answer) => answer?.code === "INSUFFICIENT_BALANCE").length;
  const account = await collectionOf(platform.databases(), "accounts").findOne({ _id: accountId });
  const problems = [
    paid === balance ? [] : [`${paid} payouts with money for ${balance}`],
    paid + short === executes ? [] : [`${executes - paid - short} other answers`],
    account?.available.toString() === "0" ? [] : [`${account?.available} is left`],
  ];
  return { name: "money for exactly 50 of 200", problems: problems.flat() };
}
