import type { Account, Actor } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { accounts, beneficiaries } from "../api/lists.ts";
import { readAll, recordOf } from "../api/pages.ts";
import { t } from "../catalogue/texts.ts";
import { may } from "../session/session.ts";
import { useSession } from "../session/use-session.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { nameOf } from "./rules/beneficiary.ts";

/** Returns an account of the merchant, if it is known. */
export function useAccount(id: string, enabled = true) {
  const { data } = useQuery({ ...recordOf<Account>(accounts, id), enabled });
  return data;
}

/** The name that the merchant gave an account, or its currency, with a link to the statement. */
export function AccountName({ id }: { id: string }) {
  const known = useAccount(id, may(useSession(), "account:read"));
  if (known === undefined) return <span className="mono break">{id}</span>;
  return (
    <span className="row">
      <Link to="/accounts/$accountId" params={{ accountId: id }}>
        {known.name || known.currency_code}
      </Link>
      <CopyButton text={id} label={t.list.copyId} />
    </span>
  );
}

/** The newest beneficiaries, at most 500, which takes five requests. */
export const newestPayees = {
  queryKey: [beneficiaries.path, "newest"],
  queryFn: () => readAll(beneficiaries, {}, 500),
  staleTime: 60_000,
};

/** Returns the name of a beneficiary by its id, or the id if the name is not known. */
export function usePayeeNames(): (id: string) => string {
  const { data } = useQuery({
    ...newestPayees,
    enabled: may(useSession(), "beneficiary:read"),
  });
  const names = new Map(data?.items.map((each) => [each.beneficiary_id, nameOf(each)]));
  return (id) => names.get(id) ?? id;
}

/** A person or program: its name, or its id if it has none. "" for none. */
export function actorName(actor: Actor | undefined): string {
  if (actor === undefined) return "";
  const { name, id, type } = actor;
  return name || `${t.list.creators[type] ?? type} ${id}`;
}
