import { type AccountCollections, type AccountDocument, toHouseSums } from "./documents.ts";
import { addHouseSums, type HouseSums, postingText } from "./rules/movement.ts";

/** What one of the house's own accounts holds in a currency. */
export type HouseBalance = {
  readonly account: string;
  readonly currency: string;
  /** Signed decimal text. */
  readonly balance: string;
};

/** The house's balances of one currency or all, by currency and account: sums over accounts. */
export async function houseBalances(
  { accounts }: AccountCollections,
  currency: string | undefined,
): Promise<HouseBalance[]> {
  let total: HouseSums = {};
  const found = accounts.find({}).project<Pick<AccountDocument, "house">>({ house: 1 });
  for await (const document of found) {
    total = addHouseSums(total, toHouseSums(document));
  }
  return Object.entries(total)
    .map(([name, sum]) => {
      const [account = "", of = ""] = name.split("/");
      return { account, currency: of, balance: postingText(sum) };
    })
    .filter((each) => currency === undefined || each.currency === currency)
    .sort((a, b) => (`${a.currency} ${a.account}` < `${b.currency} ${b.account}` ? -1 : 1));
}
