type Kind = "member" | "operator";

/** The pages of records, by the prefix of their ids. */
const pages: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  member: {
    po: "/payouts/",
    ben: "/beneficiaries/",
    dep: "/depositors/",
    acc: "/accounts/",
    bat: "/batches/",
    whe: "/webhooks/",
    whd: "/deliveries/",
    req: "/requests?request_id=",
  },
  operator: {
    po: "/treasury/payouts/",
    alr: "/compliance/alerts/",
    cor: "/treasury/corridors/",
    mer: "/treasury/payouts?merchant_id=",
    ben: "/treasury/payouts?beneficiary_id=",
    bat: "/treasury/payouts?batch_id=",
    req: "/trace?request_id=",
  },
};

const eventPages: Readonly<Record<Kind, string>> = {
  member: "/deliveries?transaction_id=",
  operator: "/treasury/payouts/",
};

const wholeId = /^([a-z]{2,4})_[\w-]{8,64}$/;

/** Returns the page of a record by its whole id, or `undefined` if no page shows it. */
export function pageOfId(text: string, kind: Kind): string | undefined {
  // An event's id has that of its payout, and a number.
  const [, ofPayout] = /^evt_([a-z0-9]{8,64})_\d+$/.exec(text) ?? [];
  if (ofPayout !== undefined) return `${eventPages[kind]}po_${ofPayout}`;
  const [id = "", prefix = ""] = wholeId.exec(text) ?? [];
  const page = pages[kind][prefix];
  return page === undefined ? undefined : `${page}${id}`;
}

const wordsOf = (text: string) =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** True if each word of the search begins a word of the text. */
export function matches(text: string, search: string): boolean {
  const own = wordsOf(text);
  const wanted = wordsOf(search);
  return wanted.length > 0 && wanted.every((word) => own.some((each) => each.startsWith(word)));
}
