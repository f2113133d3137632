import { accounts, batches, beneficiaries, payouts, requests } from "../api/lists.ts";
import { type ListOf, readAll, readPage } from "../api/pages.ts";
import { t } from "../catalogue/texts.ts";
import { hasRole, may, type Session } from "../session/session.ts";
import { navigationFor, payoutReaders } from "../shell/pages.ts";
import { moneyText } from "../ui/rules/amounts.ts";
import { matches, pageOfId } from "./rules/places.ts";

type Shown = { readonly label: string; readonly to: string };
export type Result = Shown & { readonly group: string };

const words = t.search;
const { pages } = t.shell;
const eachMax = 5;

export type Found = { readonly results: readonly Result[]; readonly isPartial: boolean };

/** Finds pages, records by whole ids and references, and parties by the beginnings of their names. */
export async function find(session: Session, text: string): Promise<Found> {
  const found = await Promise.allSettled([
    ...[pagesFor(session, text), byId(session, text)],
    ...(session.kind === "operator" ? [actionsFor(session, text)] : recordsFor(session, text)),
  ]);
  const results = found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  return {
    results: [...new Map(results.map((each) => [each.to, each])).values()],
    isPartial: found.some(({ status }) => status === "rejected"),
  };
}

const inGroup = <T>(group: string, items: readonly T[], shown: (item: T) => Shown) =>
  items.map((item): Result => ({ group, ...shown(item) }));

async function pagesFor(session: Session, text: string): Promise<Result[]> {
  const links = navigationFor(session).flatMap((section) => section.links);
  const own = links.filter(({ label }) => matches(label, text));
  return inGroup(words.pages, own, (link) => link);
}

async function byId({ kind }: Session, text: string): Promise<Result[]> {
  const to = pageOfId(text, kind);
  return to === undefined ? [] : [{ group: words.ids, label: text, to }];
}

/** The table of actions is large, and loads with the first search of an operator. */
async function actionsFor(session: Session, text: string): Promise<Result[]> {
  const [{ actionsOf }, { sentence, slugOf }] = await Promise.all([
    import("../operators/actions/call.ts"),
    import("../operators/actions/rules/form.ts"),
  ]);
  const own = actionsOf(session).filter(({ name, summary }) => matches(`${name} ${summary}`, text));
  return inGroup(pages.actions, own, (action) => ({
    label: sentence(action.summary),
    to: `/actions/${slugOf(action)}`,
  }));
}

type Search = (session: Session, text: string) => Promise<Result[]>[];

/** Searches a list by each of some parameters. */
const inList =
  <T>(
    scope: string,
    [group, list]: readonly [string, ListOf<T>],
    parameters: readonly string[],
    shown: (item: T) => Shown,
  ): Search =>
  (session, text) =>
    (may(session, scope) ? parameters : []).map(async (name) => {
      const { items } = await readPage(list, { [name]: text, limit: eachMax });
      return inGroup(group, items, shown);
    });

const searches: readonly Search[] = [
  inList(
    "payout:read",
    [pages.payouts, payouts],
    ["reference_id", "beneficiary_name", "unique_transaction_reference"],
    ({ id, title, reference_note: reference, amount }) => {
      const sent = moneyText(amount.source_amount, amount.source_amount_currency.symbol);
      return { label: [title, sent, reference].join(" · "), to: `/payouts/${id}` };
    },
  ),
  inList(
    "payout:read",
    [pages.batches, batches],
    ["reference_id"],
    ({ id, reference_id: reference, state }) => ({
      label: `${reference} · ${t.batches.states[state] ?? state}`,
      to: `/batches/${id}`,
    }),
  ),
  inList(
    "beneficiary:read",
    [pages.beneficiaries, beneficiaries],
    ["beneficiary_name", "reference_id"],
    ({ beneficiary_id: id, beneficiary_name: name, destination_currency: currency }) => ({
      label: `${name} · ${currency}`,
      to: `/beneficiaries/${id}`,
    }),
  ),
  (session, text) => (may(session, "account:read") ? [accountsFor(text)] : []),
  // A request's id has no blanks.
  (session, text) => (/^[!-~]+$/.test(text) ? requestsFor(session, text) : []),
];

const requestsFor = inList(
  "webhook:read",
  [pages.requests, requests],
  ["request_id"],
  ({ request_id: id, method, route }) => ({
    label: `${method} ${route}`,
    to: `/requests?request_id=${encodeURIComponent(id)}`,
  }),
);

async function accountsFor(text: string): Promise<Result[]> {
  const { items } = await readAll(accounts);
  const own = items.filter((each) => matches(`${each.name} ${each.currency_code}`, text));
  return inGroup(
    words.accounts,
    own.slice(0, eachMax),
    ({ id, name, currency_code: currency }) => ({
      label: name === "" ? currency : `${name} · ${currency}`,
      to: `/accounts/${id}`,
    }),
  );
}

const recordsFor: Search = (session, text) => searches.flatMap((search) => search(session, text));

/** True if the person may search the records of all merchants. */
export const maySearchAll = (session: Session) => hasRole(session, ...payoutReaders);

/**
 * Finds records of all merchants by a whole id or reference. Each call is in the audit trail, so it
 * is made only when a person asks for it.
 */
export async function findAcross(reference: string): Promise<Result[]> {
  const { answerOf, rpcs } = await import("../api/rpc.ts");
  const found = await answerOf(rpcs.operations.findRecords({ reference }));
  return [
    ...inGroup(pages.payouts, found.payouts, (each) => {
      const sent = moneyText(each.sourceAmount, each.sourceCurrencyCode);
      const label = [each.beneficiaryName, sent, each.referenceId || each.id].join(" · ");
      return { label, to: `/treasury/payouts/${each.id}` };
    }),
    ...inGroup(pages.batches, found.batches, ({ id, referenceId }) => ({
      label: `${referenceId} · ${id}`,
      to: `/treasury/payouts?batch_id=${id}`,
    })),
    ...inGroup(words.accounts, found.accounts, ({ id, name, currencyCode, merchantId }) => ({
      label: `${name || id} · ${currencyCode}`,
      to: `/treasury/balances?merchant_id=${merchantId}`,
    })),
  ];
}
