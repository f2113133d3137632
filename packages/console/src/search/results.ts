import { accounts, beneficiaries, payouts } from "../api/lists.ts";
import { type ListOf, readPage } from "../api/pages.ts";
import type { Query } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { may, type Session } from "../session/session.ts";
import { navigationFor } from "../shell/pages.ts";
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
    ]),
    ...when("beneficiary:read", () => [
      ofBeneficiaries({ beneficiary_name: text }),
      ofBeneficiaries({ reference_id: text }),
    ]),
    ...when("account:read", () => [ofAccounts()]),
  ];
}
