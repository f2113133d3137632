import { accounts, batches, beneficiaries, payouts, requests } from "../api/lists.ts";
import { type ListOf, readPage } from "../api/pages.ts";
import type { Query } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { hasRole, may, type Session } from "../session/session.ts";
import { navigationFor, support } from "../shell/pages.ts";
import { moneyText } from "../ui/rules/amounts.ts";
import { matches, pageOfId } from "./rules/places.ts";

export type Result = { readonly group: string; readonly label: string; readonly to: string };

const words = t.search;
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

async function pagesFor(session: Session, text: string): Promise<Result[]> {
  const links = navigationFor(session).flatMap((section) => section.links);
  const own = links.filter(({ label }) => matches(label, text));
  return own.map(({ label, to }) => ({ group: words.pages, label, to }));
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
  return own.map((action) => ({
    group: t.shell.pages.actions,
    label: sentence(action.summary),
    to: `/actions/${slugOf(action)}`,
  }));
}

function recordsFor(session: Session, text: string): Promise<Result[]>[] {
  const read = async <T>(
    list: ListOf<T>,
    query: Query,
    result: (item: T) => Omit<Result, "group">,
    group: string,
  ) => {
    const { items } = await readPage(list, { ...query, limit: eachMax });
    return items.map((item) => ({ group, ...result(item) }));
  };
  const ofPayouts = (query: Query) =>
    read(
      payouts,
      query,
      ({ id, title, reference_note: reference, amount }) => ({
        label: [
          title,
          moneyText(amount.source_amount, amount.source_amount_currency.symbol),
          reference,
        ].join(" · "),
        to: `/payouts/${id}`,
      }),
      words.payouts,
    );
  const ofBeneficiaries = (query: Query) =>
    read(
      beneficiaries,
      query,
      ({ beneficiary_id: id, beneficiary_name: name, destination_currency: currency }) => ({
        label: `${name} · ${currency}`,
        to: `/beneficiaries/${id}`,
      }),
      words.beneficiaries,
    );
  const ofBatches = () =>
    read(
      batches,
      { reference_id: text },
      ({ id, reference_id: reference, state }) => ({
        label: `${reference} · ${t.batches.states[state] ?? state}`,
        to: `/batches/${id}`,
      }),
      words.batches,
    );
  const ofRequests = () =>
    read(
      requests,
      { request_id: text },
      ({ request_id: id, method, route }) => ({
        label: `${method} ${route}`,
        to: `/requests?request_id=${encodeURIComponent(id)}`,
      }),
      words.requests,
    );
  const ofAccounts = async () => {
    const { items } = await readPage(accounts, { limit: 100 });
    const own = items.filter((each) => matches(`${each.name} ${each.currency_code}`, text));
    return own.slice(0, eachMax).map(({ id, name, currency_code: currency }) => ({
      group: words.accounts,
      label: name === "" ? currency : `${name} · ${currency}`,
      to: `/accounts/${id}`,
    }));
  };
  const when = (scope: string, run: () => Promise<Result[]>[]) =>
    may(session, scope) ? run() : [];
  return [
    ...when("payout:read", () => [
      ofPayouts({ reference_id: text }),
      ofPayouts({ beneficiary_name: text }),
      ofPayouts({ unique_transaction_reference: text }),
      ofBatches(),
    ]),
    ...when("beneficiary:read", () => [
      ofBeneficiaries({ beneficiary_name: text }),
      ofBeneficiaries({ reference_id: text }),
    ]),
    ...when("account:read", () => [ofAccounts()]),
    // A request's id has no blanks.
    ...when("webhook:read", () => (/^[!-~]+$/.test(text) ? [ofRequests()] : [])),
  ];
}

/** True if the person may search the records of all merchants, and open what is found. */
export const maySearchAll = (session: Session) => hasRole(session, ...support);

/**
 * Finds records of all merchants by a whole id or reference. Each call is in the audit trail, so it
 * is made only when a person asks for it.
 */
export async function findAcross(reference: string): Promise<Result[]> {
  const { answerOf, rpcs } = await import("../api/rpc.ts");
  const found = await answerOf(rpcs.operations.findRecords({ reference }));
  return [
    ...found.payouts.map((each) => ({
      group: words.payouts,
      label: [
        each.beneficiaryName,
        moneyText(each.sourceAmount, each.sourceCurrencyCode),
        each.referenceId || each.id,
      ].join(" · "),
      to: `/treasury/payouts/${each.id}`,
    })),
    ...found.batches.map(({ id, referenceId }) => ({
      group: words.batches,
      label: `${referenceId} · ${id}`,
      to: `/treasury/payouts?batch_id=${id}`,
    })),
    ...found.accounts.map(({ id, name, currencyCode, merchantId }) => ({
      group: words.accounts,
      label: `${name || id} · ${currencyCode}`,
      to: `/treasury/balances?merchant_id=${merchantId}`,
    })),
  ];
}
